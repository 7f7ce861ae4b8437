import type { EvenSplit, Mode, PolicyIdentity, Problem } from '@weir/policy/model'
import type { ConsumerReport, DependencyReport, GateReport, PolicySource, Scales } from '@weir/wire/model'
import type { LeaseStatus } from './shared.ts'

/** What this process obeys and how it is doing. */
export interface WeirStatus {
  readonly instance: string
  readonly environment: string | null
  readonly service: string | null
  /** Whether the control plane's socket is open. */
  readonly connected: boolean
  readonly source: PolicySource
  /** `null` on a bootstrap file or the built-in policy. */
  readonly policy: PolicyIdentity | null
  /** What the policy asks and this process does not do. */
  readonly refused: readonly Problem[]
  /** The mode that beats every policy, where set. */
  readonly modeOverride: Mode | null
  /** Between how many live processes the quota of a tenant without one of its own is split, and which of them this is. */
  readonly split: EvenSplit
  /** By resource, the share of its quotas that is in force where it is not the whole: consumers further on lag. */
  readonly scales: Scales
  /** The control plane never answered what was asked of the quotas: this process takes its even part of each, which is outside of what is counted. */
  readonly uncounted: boolean
  /** What it has of the listed quotas that its gates draw on. */
  readonly leases: readonly LeaseStatus[]
  readonly gates: readonly GateReport[]
  readonly dependencies: readonly DependencyReport[]
  readonly consumers: readonly ConsumerReport[]
}
