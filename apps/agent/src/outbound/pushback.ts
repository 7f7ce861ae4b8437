/** What a callee said about the next attempt. `invalid`: nothing usable, so our own backoff; `wait`: not before `ms`; `stop`: no attempt. */
export type Pushback =
  | { readonly kind: 'invalid' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'stop' }

const INVALID: Pushback = { kind: 'invalid' }
const STOP: Pushback = { kind: 'stop' }

/** IMF-fixdate, the only form that RFC 9110 lets senders make. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const httpDate = (text: string | null | undefined): number =>
  text !== null && text !== undefined && HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN

/**
 * `Retry-After`, strictly: whole seconds or an HTTP date, nothing else. A date is measured against the response's own `Date` where it has one
 * (clocks of two machines are not compared), else against `wallNow`, the time of day in milliseconds. A past date means now.
 */
export const parseRetryAfter = (
  text: string | null | undefined,
  responseDate: string | null | undefined,
  wallNow: () => number,
): Pushback => {
  if (text === null || text === undefined) return INVALID
  if (/^\d+$/.test(text)) return { kind: 'wait', ms: Number(text) * 1_000 }
  const at = httpDate(text)
  if (Number.isNaN(at)) return INVALID
  const from = httpDate(responseDate)
  return { kind: 'wait', ms: Math.max(0, at - (Number.isNaN(from) ? wallNow() : from)) }
}

/** The largest pushback that is waited for: gRPC's type is a signed 32-bit number of milliseconds. */
const MAX_PUSHBACK_MS = 2 ** 31 - 1

/** `grpc-retry-pushback-ms` (gRFC A6): a number of milliseconds; negative, unparsable or out of range means stop. Absent: `invalid`. */
export const parseGrpcPushback = (text: string | null | undefined): Pushback => {
  if (text === null || text === undefined) return INVALID
  if (!/^\d+$/.test(text)) return STOP
  const ms = Number(text)
  return ms <= MAX_PUSHBACK_MS ? { kind: 'wait', ms } : STOP
}
