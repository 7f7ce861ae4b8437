import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpAnswer, HttpClient } from '../core/http.ts'

/** What became of one export. `again`: the server may take it later; `lost`: it never will. */
export type Posted =
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string }
  | { readonly kind: 'again'; readonly message: string; readonly waitMs: number; readonly barred: boolean }
  | { readonly kind: 'lost'; readonly message: string }

const compress = promisify(gzip)
/** Below this gzip gains less than its header costs. */
const GZIP_FROM_BYTES = 1_024
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 65_536
/** A longer Retry-After is cut: figures are kept for ten minutes only. */
const MAX_RETRY_AFTER_MS = 120_000

/** Retry-After in whole seconds or as a date; 0 where it says nothing usable. */
const retryAfterMs = (value: string | undefined, epochMs: number): number => {
  if (value === undefined) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - epochMs
  return Number.isNaN(ms) ? 0 : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms))
}

const taken = (body: string): Posted => {
  try {
    const partial = (
      JSON.parse(body) as {
        partialSuccess?: {
          rejectedDataPoints?: string | number
          rejectedSpans?: string | number
          errorMessage?: string
        }
      }
    ).partialSuccess
    return {
      kind: 'taken',
      rejected: Number(partial?.rejectedDataPoints ?? partial?.rejectedSpans ?? 0) || 0,
      message: partial?.errorMessage ?? '',
    }
  } catch {
    return { kind: 'taken', rejected: 0, message: '' }
  }
}

const judge = (answer: HttpAnswer, epochMs: number): Posted => {
  const { status } = answer
  const message = `The telemetry endpoint answered ${status}.`
  if (status >= 200 && status < 300) return taken(answer.body)
  if (status === 408 || status === 429 || status >= 500)
    return { kind: 'again', message, waitMs: retryAfterMs(answer.headers['retry-after'], epochMs), barred: false }
  // A wrong key, path or proxy: somebody will mend it, but not soon.
  if (status === 401 || status === 403 || status === 404 || status < 400)
    return { kind: 'again', message, waitMs: 0, barred: true }
  return { kind: 'lost', message }
}

/** Sends one OTLP/HTTP body; never rejects. */
export const post = async (
  http: HttpClient,
  url: string,
  key: string | null,
  body: string,
  epochMs: number,
): Promise<Posted> => {
  try {
    const packed = Buffer.byteLength(body) >= GZIP_FROM_BYTES ? await compress(body) : null
    const answer = await http.send({
      method: 'POST',
      url,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        ...(packed === null ? {} : { 'content-encoding': 'gzip' }),
      },
      body: packed ?? body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    })
    return judge(answer, epochMs)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'again', message, waitMs: 0, barred: false }
  }
}
