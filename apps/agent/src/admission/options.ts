import type { GatePolicy, Mode } from '@weir/policy/model'
import type { Runtime } from '../core/clock.ts'
import type { Sampler } from '../core/sampling.ts'
import type { Resources, TenantRules } from './resource.ts'

/** What a gate obeys: one revision's words on it, and this agent's part of its resource's quotas. */
export interface GateSettings extends TenantRules {
  readonly policy: GatePolicy
  readonly revision: number
}

/** How hard the process is pressed, for one gate: plain fields, read at every decision. */
export interface Pressure {
  /** Overload level, whole, 0..4: the so many lowest classes are shed down to their reserves. */
  readonly level: number
  /** Event-loop delay of the last interval, milliseconds, added to predicted waits; 0 while unknown. */
  readonly delayMs: number
}

export interface GateOptions {
  readonly name: string
  readonly runtime: Runtime
  readonly settings: GateSettings
  /** `WEIR_MODE` of the process: beats every policy. */
  readonly modeOverride?: Mode | null
  /** Where gates that name one resource meet. Default: the gate has its own. */
  readonly resources?: Resources
  /** Tenants without a quota of their own that are told apart. Default 10,000. */
  readonly maxTenants?: number
  /** Tenants with figures of their own per collection, the largest; the rest is summed as `other`. Default 50. */
  readonly tenantLabels?: number
  /** Keeps every decision for `explain`, not a sample: for tests and simulations. */
  readonly explainAll?: boolean
  /** Chooses the work that is told as a span. Default: none. */
  readonly sampler?: Sampler
}

/** What a handler sees of the work that it runs for. */
export interface RunContext {
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Whether the cheaper variant is asked for. */
  readonly degraded: boolean
  /** Milliseconds until the deadline. */
  readonly remainingMs: number
}
