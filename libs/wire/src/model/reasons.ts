import type { RefusalSignal } from '@weir/policy/model'

interface ReasonRow {
  /** HTTP status of the refusal where it answers an inbound request. 429: the caller's own share; 503: the service is short. */
  readonly status: 429 | 503
  readonly signal: RefusalSignal
  /** A refusal that books `expired` instead of `shed`. */
  readonly expired: boolean
  /** Setting of the gate, `quota.*` of the tenant's quota or `tenants.*` of the document, that decides; `null`: none does. */
  readonly rule: string | null
  /** For people. */
  readonly title: string
}

const shed = (status: 429 | 503, signal: RefusalSignal, rule: string | null, title: string): ReasonRow => ({
  status,
  signal,
  rule,
  title,
  expired: false,
})
const expired = (title: string): ReasonRow => ({ status: 503, signal: 'stop', rule: 'deadline', title, expired: true })

/** Why a gate refused: the closed table of reasons. Stable words: metrics, headers, problem documents and screens use them. */
export const GATE_REASONS = {
  'limit-reached': shed(503, 'elsewhere', 'concurrency', 'All slots are taken'),
  'queue-full': shed(503, 'elsewhere', 'queue.maxItems', 'The queue is full'),
  'queue-timeout': shed(503, 'elsewhere', 'queue.maxWaitMs', 'It waited as long as the queue allows'),
  'would-be-late': shed(503, 'elsewhere', 'queue.maxWaitMs', 'It would start too late to meet its deadline'),
  'class-shed': shed(503, 'later', 'signals', 'Its class is being shed'),
  'tenant-rate': shed(429, 'later', 'quota.rate', 'The tenant used up its rate'),
  'tenant-concurrency': shed(429, 'later', 'quota.concurrency', 'The tenant holds all of its slots'),
  'unknown-tenant': shed(429, 'stop', 'tenants.unknown', 'The tenant has no quota here'),
  'defer-failed': shed(503, 'later', null, 'It could not be made durable for later'),
  draining: shed(503, 'elsewhere', null, 'The process is shutting down'),
  'expired-on-arrival': expired('Its deadline had passed on arrival'),
  'expired-in-queue': expired('Its deadline passed in the queue'),
} as const satisfies Record<string, ReasonRow>
export type GateReason = keyof typeof GATE_REASONS

/** Why a dependency call was refused locally: no attempt reached the wire. */
export const DEPENDENCY_REASONS = {
  'breaker-open': { signal: 'later', rule: 'breaker', title: 'The breaker is open' },
  'ceiling-reached': { signal: 'later', rule: 'ceiling', title: 'All of its slots are taken' },
  throttled: { signal: 'later', rule: 'throttle', title: 'The adaptive throttle refused' },
  'deadline-passed': { signal: 'stop', rule: 'timeoutMs', title: 'The deadline had passed' },
  draining: { signal: 'stop', rule: null, title: 'The process is shutting down' },
} as const satisfies Record<string, { signal: RefusalSignal; rule: string | null; title: string }>
export type DependencyReason = keyof typeof DEPENDENCY_REASONS
