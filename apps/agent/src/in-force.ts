import {
  type DependencyPolicy,
  type EvenSplit,
  type Mode,
  type Quota,
  UNNAMED_DEPENDENCY,
  unnamedGate,
} from '@weir/policy/model'
import type { Scales } from '@weir/wire/model'
import type { GateSettings } from './admission/gate.ts'
import type { Leases } from './leases/leases.ts'
import type { Policies } from './policy/standing.ts'
import type { Scaled } from './scaled.ts'

const NO_QUOTAS: Readonly<Record<string, Quota>> = Object.freeze({})

/** What of the quotas is in force: this agent's part of each, and the share of the whole that a resource has for the time being. */
export interface Shares {
  readonly split: EvenSplit
  readonly scales: Scales
  readonly scaled: Scaled
  readonly leases: Leases | null
}

/** What the policy in force says to one gate. One that it does not name observes. */
export const gateSettings = (
  { effective, standing }: Policies,
  name: string,
  { split, scales, scaled, leases }: Shares,
): GateSettings => {
  const { policy, quotas } = effective
  const gate = own(policy.gates, name) ?? unnamedGate(name)
  const whole = { tenants: policy.tenants, quotas: own(quotas, gate.resource) ?? NO_QUOTAS }
  const { tenants, quotas: inForce } = scaled.of(gate.resource, whole, own(scales, gate.resource) ?? 1)
  return { policy: gate, revision: standing.identity?.revision ?? 0, tenants, quotas: inForce, split, leases }
}

/** What the policy in force says to one dependency, under the mode of the process where that beats it. */
export const dependencySettings = (
  { effective, standing }: Policies,
  name: string,
  mode: Mode | null,
): { policy: DependencyPolicy; revision: number | null } => {
  const policy = own(effective.policy.dependencies, name) ?? UNNAMED_DEPENDENCY
  return { policy: mode === null ? policy : { ...policy, mode }, revision: standing.identity?.revision ?? null }
}

/** From which age on the policy in force leaves messages of this gate, milliseconds; `null`: from none. */
export const maxAgeMs = ({ effective }: Policies, gate: string): number | null =>
  own(effective.policy.gates, gate)?.consumer.maxAgeMs ?? null

/** A member of the record itself, never of its prototype. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
