import { ApiProblem, problemOf, unreachable } from './problem.ts'

export interface Answer<T> {
  readonly data: T
  /** For If-Match. */
  readonly etag: string | null
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly ifMatch?: string
  /** `true` sends `If-None-Match: *`: create, and only create. */
  readonly create?: boolean
  readonly signal?: AbortSignal
}

const headersOf = (call: Call): Record<string, string> => ({
  accept: 'application/json, application/problem+json',
  ...(call.method === undefined || call.method === 'GET' ? {} : { 'x-weir-csrf': '1' }),
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
  ...(call.create === true ? { 'if-none-match': '*' } : {}),
})

const bodyOf = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return null
  const text = await response.text()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * One request to the control plane with the session's cookie. Answers of the same origin are trusted to have the contract's shape:
 * they were made by the same schemas. Throws `ApiProblem` for everything but 2xx.
 */
export const call = async <T>(path: string, request: Call = {}): Promise<Answer<T>> => {
  let response: Response
  try {
    response = await fetch(path, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      credentials: 'same-origin',
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw unreachable()
  }
  const body = await bodyOf(response)
  const etag = response.headers.get('etag')
  if (!response.ok) throw new ApiProblem(problemOf(response.status, body), etag)
  return { data: body as T, etag }
}

/** Joins path segments under `/api/v1`, each encoded, with a query. Values that are undefined or null are left out. */
export const url = (
  segments: readonly string[],
  query: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string => {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  const path = `/api/v1/${segments.map(encodeURIComponent).join('/')}`
  return search.size === 0 ? path : `${path}?${search}`
}

/** The data alone. */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await call<T>(path, signal === undefined ? {} : { signal })).data
