import type { RefusalSignal } from '@weir/policy/model'

interface ReasonRow {
  /** HTTP status of the refusal where it answers an inbound request. 429: the caller's own share; 503: the service is short. */
  readonly status: 429 | 503
  readonly signal: RefusalSignal
  /** A refusal that books `expired` instead of `shed`. */
  readonly expired: boolean
  /** For people. */
  readonly title: string
}

const shed = (status: 429 | 503, signal: RefusalSignal, title: string): ReasonRow => ({
  status,
  signal,
  title,
  expired: false,
})
const expired = (title: string): ReasonRow => ({ status: 503, signal: 'stop', title, expired: true })

/** Why a gate refused: the closed table of reasons. Stable words: metrics, headers, problem documents and screens use them. */
export const GATE_REASONS = {
  'limit-reached': shed(503, 'elsewhere', 'All slots are taken'),
  'queue-full': shed(503, 'elsewhere', 'The queue is full'),
  'queue-timeout': shed(503, 'elsewhere', 'It waited as long as the queue allows'),
  'would-be-late': shed(503, 'elsewhere', 'It would start too late to meet its deadline'),
  'class-shed': shed(503, 'later', 'Its class is being shed'),
  'tenant-rate': shed(429, 'later', 'The tenant used up its rate'),
  'tenant-concurrency': shed(429, 'later', 'The tenant holds all of its slots'),
  'unknown-tenant': shed(429, 'stop', 'The tenant has no quota here'),
  'defer-failed': shed(503, 'later', 'It could not be made durable for later'),
  draining: shed(503, 'elsewhere', 'The process is shutting down'),
  'expired-on-arrival': expired('Its deadline had passed on arrival'),
  'expired-in-queue': expired('Its deadline passed in the queue'),
} as const satisfies Record<string, ReasonRow>
export type GateReason = keyof typeof GATE_REASONS

/** Why a dependency call was refused locally: no attempt reached the wire. */
export const DEPENDENCY_REASONS = {
  'breaker-open': { signal: 'later', title: 'The breaker is open' },
  'ceiling-reached': { signal: 'later', title: 'All of its slots are taken' },
  throttled: { signal: 'later', title: 'The adaptive throttle refused' },
  'deadline-passed': { signal: 'stop', title: 'The deadline had passed' },
  draining: { signal: 'stop', title: 'The process is shutting down' },
} as const satisfies Record<string, { signal: RefusalSignal; title: string }>
export type DependencyReason = keyof typeof DEPENDENCY_REASONS
