import type { Readable } from 'node:stream'
import { type AxiosAdapter, type AxiosError, AxiosHeaders, type AxiosResponse, getAdapter } from 'axios'
import type { Attempt } from '../outbound/parts.ts'
import type { DependencyHost } from './fetch.ts'
import {
  atOrigin,
  classifyExchange,
  type HttpClientOptions,
  isIdempotent,
  isReplayable,
  joinBaggage,
  streamOver,
} from './outbound/http-client.ts'

export interface AxiosOptions extends HttpClientOptions {
  /** What sends. Default: axios's own for Node. */
  readonly adapter?: AxiosAdapter | undefined
}

type Config = Parameters<AxiosAdapter>[0]

/**
 * An axios adapter, `axios.create({ adapter: weirAxios(weir, 'payments') })`: each request is a call of dependency `name`. Idempotent methods and
 * requests with an `Idempotency-Key` are retried, unless their body is a stream. The context's headers do not cross a redirect. axios reads bodies itself;
 * with `responseType: 'stream'` the call lasts until the stream is over.
 */
export const weirAxios = (
  weir: DependencyHost,
  name: string,
  { adapter = getAdapter('http'), endpoints, until = 'body' }: AxiosOptions = {},
): AxiosAdapter => {
  return async (config) => {
    const dependency = weir.dependency(name)
    const headers = AxiosHeaders.from(config.headers)
    const { response, error } = await dependency.call(
      (attempt) => exchange(adapter(outgoing(config, headers, attempt, dependency.internal))),
      {
        idempotent: isReplayable(config.data) && isIdempotent(config.method ?? 'GET', headers.has('idempotency-key')),
        signal: config.signal as AbortSignal | undefined,
        endpoints: endpoints?.(),
        classify: (end) => classifyExchange(end, ({ response }) => headOf(response), dependency.internal),
        discard: ({ response: { data } }) => {
          if (isStream(data)) data.on('error', () => undefined).destroy()
        },
        tail: ({ response: { data } }) => (until === 'body' && isStream(data) ? streamOver(data) : null),
      },
    )
    if (error !== null) throw error
    return response
  }
}

interface Exchange {
  readonly response: AxiosResponse
  /** Where `validateStatus` did not like it. */
  readonly error: AxiosError | null
}

const exchange = async (sent: Promise<AxiosResponse>): Promise<Exchange> => {
  try {
    return { response: await sent, error: null }
  } catch (thrown) {
    const error = thrown as AxiosError
    if (error?.response === undefined) throw thrown
    return { response: error.response, error }
  }
}

const isStream = (data: unknown): data is Readable =>
  typeof data === 'object' && data !== null && 'pipe' in data && 'destroy' in data

const outgoing = (config: Config, headers: AxiosHeaders, attempt: Attempt, internal: boolean): Config => {
  const own = new AxiosHeaders(headers)
  const baggage = own.get('baggage')?.toString()
  const added = internal ? Object.entries(attempt.headers) : []
  for (const [name, value] of added) own.set(name, name === 'baggage' ? joinBaggage(baggage, value) : value)
  const given = config.signal as AbortSignal | undefined
  return {
    ...config,
    ...(attempt.endpoint === null ? {} : moved(config, attempt.endpoint)),
    headers: own,
    signal: given === undefined ? attempt.signal : AbortSignal.any([attempt.signal, given]),
    beforeRedirect: (options, ...rest) => {
      for (const [name] of added) delete options.headers[name]
      if (baggage !== undefined) options.headers.baggage = baggage
      config.beforeRedirect?.(options, ...rest)
    },
  }
}

/** The same request to another origin. */
const moved = ({ url = '', baseURL }: Config, origin: string): Pick<Config, 'url' | 'baseURL'> => {
  if (/^https?:/i.test(url)) return { url: atOrigin(url, origin) }
  return { url, baseURL: baseURL === undefined ? origin : atOrigin(baseURL, origin) }
}

const headOf = ({ status, headers }: AxiosResponse) => ({
  status,
  header: (name: string) =>
    AxiosHeaders.from(headers as AxiosHeaders)
      .get(name)
      ?.toString(),
})
