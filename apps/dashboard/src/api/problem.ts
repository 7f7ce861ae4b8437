import type { ProblemDocument } from '@weir/api'

/** What went wrong with a request, in the server's words (RFC 9457) or, where there was no answer, in ours. */
export class ApiProblem extends Error {
  constructor(
    readonly problem: ProblemDocument,
    /** ETag of the answer: after a lost race it names the present version. */
    readonly etag: string | null = null,
  ) {
    super(problem.detail ?? problem.title)
    this.name = 'ApiProblem'
  }

  get status(): number {
    return this.problem.status
  }

  /** The first sentence about each field, by its path. */
  fields(): Record<string, string> {
    const fields: Record<string, string> = {}
    for (const { path, message } of this.problem.errors ?? []) fields[path] ??= message
    return fields
  }
}

/** No answer came: the control plane is away, or the network is. */
export const unreachable = (): ApiProblem =>
  new ApiProblem({
    type: 'about:blank',
    title: 'The control plane does not answer',
    status: 0,
    code: 'unavailable',
    detail: 'The agents go on deciding by themselves with their last policy. This page tries again by itself.',
  })

const TITLES: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'Your role does not allow this',
  404: 'Not found',
  412: 'Somebody else changed it first',
  429: 'Too many requests: wait a moment',
  503: 'The control plane is short of something',
}

const isProblem = (body: unknown): body is ProblemDocument =>
  typeof body === 'object' && body !== null && 'title' in body && typeof body.title === 'string'

/** Reads an error's body whatever its shape: problem+json, better-auth's `{code, message}`, or nothing. */
export const problemOf = (status: number, body: unknown): ProblemDocument => {
  if (isProblem(body)) return { ...body, status, code: body.code ?? 'internal' }
  const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : undefined
  const title = TITLES[status] ?? `The control plane answered ${status}`
  return { type: 'about:blank', title, status, code: 'internal', ...(message === undefined ? {} : { detail: message }) }
}

/** A part of the dashboard itself did not come: the control plane is away, or was updated since the page was opened. */
const notLoaded = (): ApiProblem =>
  new ApiProblem({
    type: 'about:blank',
    title: 'This page could not be loaded',
    status: 0,
    code: 'unavailable',
    detail: 'The control plane does not answer, or it was updated since you opened the dashboard: then load it again.',
  })

const isNotLoaded = (error: unknown): boolean =>
  error instanceof Error && /preload|dynamically imported module|module script/i.test(error.message)

export const asProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem
    ? error
    : isNotLoaded(error)
      ? notLoaded()
      : new ApiProblem({
          type: 'about:blank',
          title: 'The dashboard failed here',
          status: 0,
          code: 'internal',
          detail: error instanceof Error ? error.message : String(error),
        })
