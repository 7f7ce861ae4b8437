import type {
  Algorithm,
  Backoff,
  BreakerMode,
  Criticality,
  Jitter,
  LeaseExpiry,
  Mode,
  QueueOrder,
  SignalKind,
} from './vocabulary.ts'

/** Bounds of the concurrency limit, in slots: `1 <= floor <= initial <= ceiling`. `fixed` uses `initial`. */
export interface ConcurrencyPolicy {
  readonly algorithm: Algorithm
  readonly floor: number
  readonly initial: number
  readonly ceiling: number
}

/** A queue bounded in time; `maxItems` is the hard item ceiling. `initialRatePerSecond` stands in until the drain rate was measured. */
export interface QueuePolicy {
  readonly maxWaitMs: number
  readonly maxItems: number
  readonly initialRatePerSecond: number | null
  readonly order: QueueOrder
}

/** Deadlines of inbound work: the default where the caller named none, and the bounds that callers are clamped to. */
export interface DeadlinePolicy {
  readonly defaultMs: number
  readonly minMs: number
  readonly maxMs: number
}

/** `reserves` are shares of the limit, 0..1, that sum to at most 1. `highest` caps what an untrusted caller may claim. */
export interface ClassesPolicy {
  readonly default: Criticality
  readonly highest: Criticality
  readonly reserves: Readonly<Record<Criticality, number>>
  readonly strict: boolean
  readonly topShareCap: number | null
}

/** Overload opens at `open` and closes at `close`, `close < open`. */
export interface Threshold {
  readonly open: number
  readonly close: number
}

/**
 * When accepted work is told to do its cheaper variant: from an overload level on, 1..4, or from a share of the slots in use on, 0..1, whichever comes
 * first. `null` = not for that reason.
 */
export interface DegradePolicy {
  readonly level: number | null
  readonly usage: number | null
}

/** Where a broker feeds the gate: a message that is older than `maxAgeMs` when its turn comes is not worked on. `null` = any age. */
export interface ConsumerPolicy {
  readonly maxAgeMs: number | null
}

export interface GatePolicy {
  readonly mode: Mode
  /** The quota resource that this gate draws on. Default: the gate's own name. */
  readonly resource: string
  /** Whether this gate is where work enters the fleet: fleet totals sum only these. */
  readonly edge: boolean
  readonly concurrency: ConcurrencyPolicy
  readonly queue: QueuePolicy
  readonly deadline: DeadlinePolicy
  readonly classes: ClassesPolicy
  readonly signals: Readonly<Partial<Record<SignalKind, Threshold>>>
  readonly degrade: DegradePolicy
  readonly consumer: ConsumerPolicy
  /** A permit that the host forgot is freed as abandoned after this. */
  readonly maxHoldMs: number
  /** A zombie (cancelled work that still runs) is freed as lost after this. */
  readonly zombieMaxMs: number
  /** Bounds of the jittered Retry-After of a refusal. */
  readonly retryAfter: { readonly minMs: number; readonly maxMs: number }
}

export interface BreakerPolicy {
  readonly mode: BreakerMode
  readonly windowMs: number
  readonly minimumVolume: number
  /** Opens at `>=` this share of failures among completed calls. */
  readonly failureShare: number
  /** `null`: no call counts as slow. */
  readonly slowCallMs: number | null
  readonly slowShare: number
  readonly openMs: number
  readonly probes: number
  readonly probeLeaseMs: number
}

export interface RetryPolicy {
  /** First attempt included; 5 at most whatever the policy says. 1 = no retry. */
  readonly maxAttempts: number
  readonly backoff: Backoff
  readonly initialMs: number
  readonly factor: number
  readonly maxMs: number
  readonly jitter: Jitter
  /** A longer Retry-After is not waited for: the call fails with signal `later`. */
  readonly maxRetryAfterMs: number
}

export type BudgetPolicy =
  | { readonly kind: 'token-bucket'; readonly maxTokens: number; readonly ratio: number }
  | {
      readonly kind: 'ratio'
      readonly share: number
      readonly floorPerSecond: number
      readonly windowMs: number
    }

/** Adaptive client throttling; `null` = off. */
export interface ThrottlePolicy {
  readonly k: number
  readonly minimumVolume: number
  readonly cap: number
}

/** Avoidance of single replicas, where calls name them; `null` = off. */
export interface OutlierPolicy {
  readonly windowMs: number
  /** Attempts of a replica that are needed to judge it. */
  readonly minimumVolume: number
  /** A replica is avoided from this share of failures, or of slow attempts, on. */
  readonly failureShare: number
  /** Slow = longer than this many times the median of the other replicas; `null`: nothing is slow. */
  readonly slowFactor: number | null
  /** How long it is avoided before it is tried again. */
  readonly ejectMs: number
  /** Of those on offer, at most; one may always be avoided where there are two. */
  readonly maxEjectedShare: number
}

/** A second attempt beside a first that has taken `afterMs`, for work that may be done twice; `null` = off. Paid for from the retry budget. */
export interface HedgePolicy {
  readonly afterMs: number
}

export interface DependencyPolicy {
  readonly mode: Mode
  /** In-flight calls, zombies included. */
  readonly ceiling: number
  /** Timeout of the whole command, all attempts together. */
  readonly timeoutMs: number
  /** Deadline, class, tenant and attempt are sent only to internal dependencies. */
  readonly internal: boolean
  readonly breaker: BreakerPolicy
  readonly retry: RetryPolicy
  readonly budget: BudgetPolicy
  readonly throttle: ThrottlePolicy | null
  readonly outlier: OutlierPolicy | null
  readonly hedge: HedgePolicy | null
}

/** A tenant's share of a resource, fleet-wide. `null` = not limited; 0 = nothing passes. `burst` in units, `rate` in units per second. */
export interface Quota {
  readonly rate: number | null
  readonly burst: number | null
  readonly concurrency: number | null
  readonly weight: number
}

/** `default` is what tenants without a quota of their own get, each. */
export interface TenantsPolicy {
  readonly unknown: 'allow' | 'refuse'
  readonly default: Quota
  /**
   * What an agent uses of a quota whose lease ended and was not renewed. `safe`: its safe capacity, which nobody else is given. `deny`: nothing. `hold`:
   * the lease for `holdSeconds` more, then its safe capacity: meanwhile others may be given the same, so that twice the quota can pass at most.
   */
  readonly expiry: LeaseExpiry
  readonly holdSeconds: number
}

/**
 * How the lag of a topic's consumers moves the quotas of the gates that feed the topic. Every `stepSeconds`: at `lagSeconds.open` or more, and not on
 * the way to be under `close` within `recoverSeconds`, all quotas of `resource` shrink to `cut` times what they were, never below the share `least`;
 * at `lagSeconds.close` or less they grow by the share `rise`, up to the whole. Each way needs two looks in a row; in between nothing moves.
 */
export interface FeedbackPolicy {
  readonly resource: string
  readonly lagSeconds: Threshold
  readonly stepSeconds: number
  /** 0..1, exclusive. */
  readonly cut: number
  /** 0..1 of the whole quota. */
  readonly rise: number
  /** 0..1 of the whole quota. */
  readonly least: number
  readonly recoverSeconds: number
}

/** A service's policy document, complete: every default filled in. */
export interface Policy {
  readonly version: 1
  readonly gates: Readonly<Record<string, GatePolicy>>
  readonly dependencies: Readonly<Record<string, DependencyPolicy>>
  readonly tenants: TenantsPolicy
  /** By topic, as its consumers name it. */
  readonly feedback: Readonly<Record<string, FeedbackPolicy>>
}

/** Explicit quotas by resource, then tenant. */
export type Quotas = Readonly<Record<string, Readonly<Record<string, Quota>>>>

/** What is pushed to an agent: the policy document joined with its tenants' quotas. */
export interface EffectivePolicy {
  readonly policy: Policy
  readonly quotas: Quotas
}

/** What is wrong, and where. `path` is dotted from the document's root; the root itself is ''. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** Whose policy, which, and what it says: `revision` alone means nothing across databases. */
export interface PolicyIdentity {
  readonly databaseId: string
  readonly revision: number
  readonly hash: string
}
