import type { EvenSplit } from '@weir/policy/model'

/** Where an agent knocks, below the control plane's origin. All of them want `Authorization: Bearer <key>`. */
export const AGENT_PATHS = {
  /** WebSocket upgrade, sub-protocol `weir.v1`. */
  socket: '/api/v1/agent/socket',
  /** GET with ETag: `{ databaseId, revision, hash, effective }`, for an agent without a socket. `LEASE_HEADER` comes with every answer. */
  policy: '/api/v1/agent/policy',
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
