import type {
  DependencyPolicy,
  FeedbackPolicy,
  GatePolicy,
  OutlierPolicy,
  Policy,
  Quota,
  TenantsPolicy,
} from './policy.ts'

/** A tenant without any limit of its own. */
export const UNLIMITED: Quota = { rate: null, burst: null, concurrency: null, weight: 1 }

/** Everybody may pass, without a limit but the gate's. */
export const DEFAULT_TENANTS: TenantsPolicy = { unknown: 'allow', default: UNLIMITED, expiry: 'safe', holdSeconds: 60 }

/** The gate that a policy of `{}` means, apart from its resource (the gate's name). */
export const DEFAULT_GATE: Omit<GatePolicy, 'resource'> = {
  mode: 'enforce',
  edge: false,
  concurrency: { algorithm: 'fixed', floor: 1, initial: 100, ceiling: 100 },
  queue: { maxWaitMs: 500, maxItems: 1_000, initialRatePerSecond: null, order: 'fifo' },
  deadline: { defaultMs: 10_000, minMs: 1, maxMs: 60_000 },
  classes: {
    default: 'sheddable-plus',
    highest: 'critical',
    reserves: { 'critical-plus': 0, critical: 0, 'sheddable-plus': 0, sheddable: 0 },
    strict: false,
    topShareCap: null,
  },
  signals: {},
  degrade: { level: null, usage: null },
  consumer: { maxAgeMs: null },
  maxHoldMs: 300_000,
  zombieMaxMs: 60_000,
  retryAfter: { minMs: 500, maxMs: 5_000 },
}

export const DEFAULT_OUTLIER: OutlierPolicy = {
  windowMs: 10_000,
  minimumVolume: 5,
  failureShare: 0.5,
  slowFactor: 5,
  ejectMs: 10_000,
  maxEjectedShare: 0.5,
}

export const DEFAULT_DEPENDENCY: DependencyPolicy = {
  mode: 'enforce',
  ceiling: 100,
  timeoutMs: 3_000,
  internal: false,
  breaker: {
    mode: 'auto',
    windowMs: 10_000,
    minimumVolume: 20,
    failureShare: 0.5,
    slowCallMs: null,
    slowShare: 0.8,
    openMs: 5_000,
    probes: 1,
    probeLeaseMs: 10_000,
  },
  retry: {
    maxAttempts: 3,
    backoff: 'exponential',
    initialMs: 50,
    factor: 2,
    maxMs: 2_000,
    jitter: 'full',
    maxRetryAfterMs: 10_000,
  },
  budget: { kind: 'token-bucket', maxTokens: 10, ratio: 0.1 },
  throttle: null,
  outlier: DEFAULT_OUTLIER,
  hedge: null,
}

/** The rule that a policy of `{ resource }` means. */
export const DEFAULT_FEEDBACK: Omit<FeedbackPolicy, 'resource'> = {
  lagSeconds: { open: 60, close: 15 },
  stepSeconds: 10,
  cut: 0.7,
  rise: 0.1,
  least: 0.1,
  recoverSeconds: 300,
}

/** What an agent runs on before it has ever seen a policy: it counts everything and refuses nothing. */
export const BUILT_IN_POLICY: Policy = {
  version: 1,
  gates: {},
  dependencies: {},
  tenants: DEFAULT_TENANTS,
  feedback: {},
}

/** A gate that the policy does not name: observed only. */
export const unnamedGate = (name: string): GatePolicy => ({ ...DEFAULT_GATE, mode: 'observe', resource: name })

/** A dependency that the policy does not name: observed only. */
export const UNNAMED_DEPENDENCY: DependencyPolicy = { ...DEFAULT_DEPENDENCY, mode: 'observe' }
