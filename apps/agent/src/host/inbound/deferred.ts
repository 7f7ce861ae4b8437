import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { DeferJob, Deferred } from '../../admission/deferral.ts'
import { NoBody, readBody } from './body.ts'
import type { InboundOptions } from './options.ts'
import type { HttpAnswer } from './problem.ts'

const DEFAULT_BYTES = 65_536
const MAX_BYTES = 16 * 1_024 * 1_024
/** A URL in a header. */
const LOCATION = /^[\x21-\x7e]{1,2048}$/

/** That work was durably accepted, as HTTP: 202, with the job's id. */
export const httpDeferred = ({ id }: Deferred, location: string | undefined): HttpAnswer => ({
  status: 202,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(location === undefined ? {} : { location }),
  },
  body: JSON.stringify({ deferred: true, id }),
})

/** One request that may be done later: its host is asked what to keep, and its body read, only once that is decided. */
export class Later<R> {
  readonly #options: InboundOptions<R>
  readonly #request: R
  readonly #raw: IncomingMessage
  /** As the host says, once it made the job. */
  location: string | undefined = undefined

  constructor(options: InboundOptions<R>, request: R, raw: IncomingMessage) {
    this.#options = options
    this.#request = request
    this.#raw = raw
  }

  /** Never rejects: what the host cannot make a job of is refused as ever. */
  readonly job = async (signal: AbortSignal): Promise<DeferJob | null> => {
    const { defer, deferBytes = -1 } = this.#options
    const maxBytes = deferBytes >= 0 ? Math.min(MAX_BYTES, deferBytes) : DEFAULT_BYTES
    let body: Promise<Uint8Array> | undefined
    const once = () => {
      if (body === undefined) {
        body = readBody(this.#raw, maxBytes, signal)
        // Its host may never look at it.
        body.catch(() => undefined)
      }
      return body
    }
    try {
      const kept = (await defer?.(this.#request, once)) ?? null
      if (kept === null) return null
      if (kept.location !== undefined) this.#locate(kept.location)
      return { payload: kept.payload, id: kept.id || randomUUID() }
    } catch (error) {
      if (!(error instanceof NoBody)) this.#complain(error)
      return null
    }
  }

  #locate(location: string): void {
    if (typeof location === 'string' && LOCATION.test(location)) this.location = location
    else
      this.#complain(
        new TypeError('defer.location: must be a URL of at most 2,048 visible ASCII characters; it is left out.'),
      )
  }

  #complain(error: unknown): void {
    try {
      this.#options.onError?.(error, this.#request)
    } catch {
      // The sink itself is the host's.
    }
  }
}
