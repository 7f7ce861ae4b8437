import { CRITICALITIES, type Criticality, LIMITS } from '@weir/policy/model'
import { BAGGAGE_PREFIX, HEADERS, tenantFromHeader } from '@weir/wire/model'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What a trusted caller says about its work. */
export interface Inbound {
  /** Remaining time, milliseconds; the shortest that any header names. */
  readonly deadlineMs: number | undefined
  /** The lowest class that any header names. */
  readonly criticality: Criticality | undefined
  readonly tenant: string | undefined
  /** 1 for the first; the highest that any header names. */
  readonly attempt: number
}

export const NOTHING_SAID: Inbound = { deadlineMs: undefined, criticality: undefined, tenant: undefined, attempt: 1 }

/** Milliseconds of one unit of `grpc-timeout`. */
const GRPC_UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 }
const MAX_BAGGAGE_MEMBERS = 64
const MAX_ATTEMPT = 1_000

const one = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

const whole = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined

const grpcTimeout = (text: string | undefined): number | undefined => {
  const match = /^(\d{1,8})([HMSmun])$/.exec(text ?? '')
  return match ? Number(match[1]) * (GRPC_UNITS[match[2] ?? ''] ?? 0) : undefined
}

/** Weir's members of W3C baggage; properties after `;` are left out. */
const baggage = (text: string | undefined): Map<string, string> => {
  const members = new Map<string, string>()
  if (text === undefined || !text.includes(BAGGAGE_PREFIX)) return members
  for (const member of text.split(',', MAX_BAGGAGE_MEMBERS)) {
    const [pair = ''] = member.split(';', 1)
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    if (at > 0 && name.startsWith(BAGGAGE_PREFIX))
      members.set(name.slice(BAGGAGE_PREFIX.length), pair.slice(at + 1).trim())
  }
  return members
}

const least = (values: readonly (number | undefined)[]): number | undefined => {
  const named = values.filter((value) => value !== undefined)
  return named.length === 0 ? undefined : Math.min(...named)
}

const lowest = (words: readonly (string | undefined)[]): Criticality | undefined => {
  const places = words
    .map((word) => (CRITICALITIES as readonly (string | undefined)[]).indexOf(word))
    .filter((place) => place >= 0)
  return places.length === 0 ? undefined : CRITICALITIES[Math.max(...places)]
}

const tenantOf = (text: string | undefined): string | undefined => {
  if (text === undefined || text === '') return undefined
  const tenant = tenantFromHeader(text)
  return tenant !== null && Buffer.byteLength(tenant) <= LIMITS.tenantBytes ? tenant : undefined
}

const SEALED = [HEADERS.deadline, HEADERS.criticality, HEADERS.tenant, HEADERS.attempt] as const

/** Of headers that only a seal vouches for: what is sealed holds, and what is not may only lower the class and shorten the deadline. */
export const readSealed = (headers: Headers): Inbound => {
  const sealed = readInbound(Object.fromEntries(SEALED.map((name) => [name, headers[name]])))
  const all = readInbound(headers)
  return {
    ...sealed,
    deadlineMs: sealed.deadlineMs === undefined ? undefined : all.deadlineMs,
    criticality: sealed.criticality === undefined ? undefined : all.criticality,
  }
}

/** Reads what travels with a request; malformed values are as if they were not there. Only for a caller that is taken at its word. */
export const readInbound = (headers: Headers): Inbound => {
  const members = baggage(one(headers, 'baggage'))
  const previous = whole(one(headers, 'grpc-previous-rpc-attempts'))
  const attempts = [
    whole(one(headers, HEADERS.attempt)),
    whole(one(headers, 'x-envoy-attempt-count')),
    previous === undefined ? undefined : previous + 1,
  ]
  return {
    deadlineMs: least([
      whole(one(headers, HEADERS.deadline)),
      grpcTimeout(one(headers, 'grpc-timeout')),
      whole(one(headers, 'connect-timeout-ms')),
      whole(one(headers, 'x-envoy-expected-rq-timeout-ms')),
    ]),
    criticality: lowest([one(headers, HEADERS.criticality), members.get('criticality')]),
    tenant: tenantOf(one(headers, HEADERS.tenant)) ?? tenantOf(members.get('tenant')),
    attempt: Math.min(MAX_ATTEMPT, Math.max(1, ...attempts.filter((attempt) => attempt !== undefined))),
  }
}
