import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { messageType } from './descriptor.ts'
import { decodeMetricsJson, decodeTracesJson } from './json.ts'
import type { OtlpEncoding, OtlpSignal, ResourceMetrics, ResourceSpans } from './model.ts'
import { decodeMetrics, decodeTraces } from './protobuf.ts'

/** Of a request, plain or inflated, bytes. */
export const MAX_BODY_BYTES = 4_194_304

export const CONTENT_TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** `null`: neither of the two that OTLP/HTTP knows. */
export const encodingOf = (contentType: string | undefined): OtlpEncoding | null => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === CONTENT_TYPES.protobuf) return 'protobuf'
  return type === CONTENT_TYPES.json ? 'json' : null
}

export type Inflated =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly status: 400 | 413 | 415; readonly message: string }

const unzip = promisify(gunzip)

/** Undoes `Content-Encoding`. A bomb costs at most `MAX_BODY_BYTES`. */
export const inflate = async (body: Uint8Array, contentEncoding: string | undefined): Promise<Inflated> => {
  const encoding = contentEncoding?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return { ok: true, body }
  if (encoding !== 'gzip') return { ok: false, status: 415, message: 'Content-Encoding is gzip or none.' }
  try {
    return { ok: true, body: await unzip(body, { maxOutputLength: MAX_BODY_BYTES }) }
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return tooLarge
      ? { ok: false, status: 413, message: `The body is larger than ${MAX_BODY_BYTES} bytes when inflated.` }
      : { ok: false, status: 400, message: 'The body is not valid gzip.' }
  }
}

const utf8 = (body: Uint8Array): string => Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')

/** Throws `Malformed`. */
export const readMetrics = (body: Uint8Array, encoding: OtlpEncoding): ResourceMetrics[] =>
  encoding === 'protobuf' ? decodeMetrics(body) : decodeMetricsJson(utf8(body))

/** Throws `Malformed`. */
export const readTraces = (body: Uint8Array, encoding: OtlpEncoding): ResourceSpans[] =>
  encoding === 'protobuf' ? decodeTraces(body) : decodeTracesJson(utf8(body))

const REJECTED = { metrics: 'rejectedDataPoints', traces: 'rejectedSpans' } as const

/**
 * Body of a 200 answer. Full success is an empty message; else `partial_success` with the number refused and why.
 */
export const successBody = (
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  outcome: { readonly rejected: number; readonly message: string },
): Buffer => {
  const partial = outcome.rejected > 0 || outcome.message !== ''
  if (encoding === 'protobuf') {
    const type = messageType('Answer')
    const answer = partial ? { partialSuccess: { rejected: outcome.rejected, errorMessage: outcome.message } } : {}
    return Buffer.from(type.encode(type.create(answer)).finish())
  }
  const answer = partial
    ? { partialSuccess: { [REJECTED[signal]]: String(outcome.rejected), errorMessage: outcome.message } }
    : {}
  return Buffer.from(JSON.stringify(answer))
}

/** google.rpc.Code of an HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  413: 3,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
}

/** Body of an error: google.rpc.Status in the request's encoding. */
export const errorBody = (encoding: OtlpEncoding, status: number, message: string): Buffer => {
  const body = { code: RPC_CODES[status] ?? 2, message }
  if (encoding === 'json') return Buffer.from(JSON.stringify(body))
  const type = messageType('Status')
  return Buffer.from(type.encode(type.create(body)).finish())
}
