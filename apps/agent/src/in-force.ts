import {
  type DependencyPolicy,
  type EvenSplit,
  type Mode,
  type Quota,
  UNNAMED_DEPENDENCY,
  unnamedGate,
} from '@weir/policy/model'
import type { GateSettings } from './admission/gate.ts'
import type { PolicyState } from './policy/state.ts'

const NO_QUOTAS: Readonly<Record<string, Quota>> = Object.freeze({})

/** What the policy in force says to one gate. One that it does not name observes. */
export const gateSettings = ({ effective, standing }: PolicyState, name: string, split: EvenSplit): GateSettings => {
  const { policy, quotas } = effective
  const gate = own(policy.gates, name) ?? unnamedGate(name)
  return {
    policy: gate,
    revision: standing.identity?.revision ?? 0,
    tenants: policy.tenants,
    quotas: own(quotas, gate.resource) ?? NO_QUOTAS,
    split,
  }
}

/** What the policy in force says to one dependency, under the mode of the process where that beats it. */
export const dependencySettings = (
  { effective, standing }: PolicyState,
  name: string,
  mode: Mode | null,
): { policy: DependencyPolicy; revision: number | null } => {
  const policy = own(effective.policy.dependencies, name) ?? UNNAMED_DEPENDENCY
  return { policy: mode === null ? policy : { ...policy, mode }, revision: standing.identity?.revision ?? null }
}

/** A member of the record itself, never of its prototype. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
