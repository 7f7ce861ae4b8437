import { type EvenSplit, LIMITS } from '@weir/policy/model'
import type { Scales } from './messages.ts'

/** Where an agent knocks, below the control plane's origin. All of them want `Authorization: Bearer <key>`. */
export const AGENT_PATHS = {
  /** WebSocket upgrade, sub-protocol `weir.v1`. */
  socket: '/api/v1/agent/socket',
  /** GET with ETag: `{ databaseId, revision, hash, effective }`, for an agent without a socket. `LEASE_HEADER` comes with every answer. */
  policy: '/api/v1/agent/policy',
  /** POST, `Ask` in JSON, answered by `Grants`: for an agent without a socket. */
  leases: '/api/v1/agent/leases',
  /** POST, OTLP metrics in JSON or protobuf. */
  metrics: '/v1/metrics',
  /** POST, OTLP traces in JSON or protobuf. */
  traces: '/v1/traces',
} as const

/** Said by a polling agent, so that it counts as heard: `Hello.instance`. */
export const INSTANCE_HEADER = 'weir-instance'

/**
 * The answer to a poll that named its instance, 304 and 204 too, since a share changes while the policy does not: `even;agents=4;rank=2`.
 * Left out for an instance that is not counted.
 */
export const LEASE_HEADER = 'weir-lease'

export const leaseToHeader = ({ agents, rank }: EvenSplit): string => `even;agents=${agents};rank=${rank}`

/** The other way; `null` where nothing usable is said. */
export const leaseFromHeader = (text: string | undefined): EvenSplit | null => {
  const match = /^even;agents=(\d{1,9});rank=(\d{1,9})$/.exec(text ?? '')
  if (match === null) return null
  const [agents, rank] = [Number(match[1]), Number(match[2])]
  return rank < agents ? { agents, rank } : null
}

/** Comes with `LEASE_HEADER`: `checkout=0.7, search=0.49`, or `whole` where no quota is smaller than itself. Left out: as they were. */
export const SCALES_HEADER = 'weir-scales'

const WHOLE = 'whole'

export const scalesToHeader = (scales: Scales): string =>
  Object.entries(scales)
    .map(([resource, scale]) => `${resource}=${scale}`)
    .join(', ') || WHOLE

/** The other way; `null` where nothing usable is said. */
export const scalesFromHeader = (text: string | undefined): Scales | null => {
  if (text === undefined || text === WHOLE) return text === undefined ? null : {}
  const parts = text.split(', ').map((part) => /^([a-z0-9._-]{1,128})=(0?\.\d{1,17}|[01])$/.exec(part))
  if (parts.length > LIMITS.topics) return null
  const pairs = parts.map((match) => [match?.[1] ?? '', Number(match?.[2] ?? 0)] as const)
  return pairs.every(([, scale]) => scale > 0) ? Object.fromEntries(pairs) : null
}

export const sameScales = (a: Scales, b: Scales): boolean => {
  const resources = Object.keys(a)
  return (
    resources.length === Object.keys(b).length &&
    resources.every((resource) => Object.hasOwn(b, resource) && a[resource] === b[resource])
  )
}
