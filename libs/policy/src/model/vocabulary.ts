/** Closed vocabularies of the contract. Order matters where said. */

/** How much work matters, highest first. */
export const CRITICALITIES = ['critical-plus', 'critical', 'sheddable-plus', 'sheddable'] as const
export type Criticality = (typeof CRITICALITIES)[number]

/** `enforce` refuses, `observe` counts what it would have refused, `off` neither counts nor refuses. */
export const MODES = ['enforce', 'observe', 'off'] as const
export type Mode = (typeof MODES)[number]

/** Concurrency limit algorithms; `fixed` is the fall-back of an agent that lacks one of the others. */
export const ALGORITHMS = ['fixed', 'aimd', 'gradient2', 'vegas'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

/** `adaptive` is newest-first within a tenant while overloaded, first-in first-out otherwise. */
export const QUEUE_ORDERS = ['fifo', 'adaptive'] as const
export type QueueOrder = (typeof QUEUE_ORDERS)[number]

export const BREAKER_MODES = ['auto', 'forced-open', 'forced-closed', 'observe'] as const
export type BreakerMode = (typeof BREAKER_MODES)[number]

export const BACKOFFS = ['fixed', 'incremental', 'exponential'] as const
export type Backoff = (typeof BACKOFFS)[number]

export const JITTERS = ['none', 'full', 'equal', 'decorrelated'] as const
export type Jitter = (typeof JITTERS)[number]

/**
 * Local capacity signals with an open and a close threshold each: the longest delay of the event loop and its utilisation, heap in use, time in
 * collections and processor time as shares of what is allowed, age of the oldest in the gate's queue, wait for a connection, latency of the slowest
 * dependency.
 */
export const SIGNAL_KINDS = [
  'eventLoopDelayMs',
  'eventLoopUtilization',
  'heapShare',
  'gcShare',
  'cpuShare',
  'queueAgeMs',
  'connectionWaitMs',
  'dependencyLatencyMs',
] as const
export type SignalKind = (typeof SIGNAL_KINDS)[number]

/** What a refusal asks of its caller: another replica, later, or never again. */
export const REFUSAL_SIGNALS = ['elsewhere', 'later', 'stop'] as const
export type RefusalSignal = (typeof REFUSAL_SIGNALS)[number]

/** What is used of a quota whose lease ended and was not renewed. */
export const LEASE_EXPIRIES = ['safe', 'deny', 'hold'] as const
export type LeaseExpiry = (typeof LEASE_EXPIRIES)[number]
