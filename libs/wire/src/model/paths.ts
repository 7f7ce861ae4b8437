/** Where an agent knocks, below the control plane's origin. All of them want `Authorization: Bearer <key>`. */
export const AGENT_PATHS = {
  /** WebSocket upgrade, sub-protocol `weir.v1`. */
  socket: '/api/v1/agent/socket',
  /** GET with ETag: `{ databaseId, revision, hash, effective }`, for an agent without a socket. */
  policy: '/api/v1/agent/policy',
  /** POST, OTLP metrics in JSON or protobuf. */
  metrics: '/v1/metrics',
} as const

/** Said by a polling agent, so that it counts as heard: `Hello.instance`. */
export const INSTANCE_HEADER = 'weir-instance'
