import { type ClassesPolicy, CRITICALITIES, type Criticality, type DeadlinePolicy } from '@weir/policy/model'

/** Most units of rate that one piece of work draws. */
const MAX_COST = 1_000_000

const [FIRST, SECOND, THIRD, FOURTH] = CRITICALITIES

/** Place in `CRITICALITIES`: 0 is the highest class; -1 for none. Four comparisons with constants are quicker than any table. */
const indexOf = (name: Criticality): number => {
  if (name === FIRST) return 0
  if (name === SECOND) return 1
  if (name === THIRD) return 2
  return name === FOURTH ? 3 : -1
}

/** The class that work runs in: the policy's default where it names none that exists; an untrusted caller's is capped. */
export const classOf = (claimed: Criticality | undefined, trusted: boolean, rules: ClassRules): number => {
  if (claimed === undefined) return rules.default
  const index = indexOf(claimed)
  if (index < 0) return rules.default
  return trusted || index > rules.highest ? index : rules.highest
}

export interface ClassRules {
  readonly default: number
  readonly highest: number
}

export const classRules = (policy: ClassesPolicy): ClassRules => ({
  default: Math.max(0, indexOf(policy.default)),
  highest: Math.max(0, indexOf(policy.highest)),
})

/** Remaining milliseconds by the policy's bounds; 0 and less mean that the deadline has passed, and are never raised to the least. */
export const remainingOf = (claimed: number | undefined, policy: DeadlinePolicy): number =>
  typeof claimed === 'number' && claimed >= policy.minMs && claimed <= policy.maxMs ? claimed : bounded(claimed, policy)

const bounded = (claimed: number | undefined, policy: DeadlinePolicy): number => {
  if (typeof claimed !== 'number' || Number.isNaN(claimed)) return policy.defaultMs
  if (claimed <= 0) return 0
  return Math.min(Math.max(claimed, policy.minMs), policy.maxMs)
}

/** Units of rate. */
export const costOf = (claimed: number | undefined): number => (claimed === undefined ? 1 : whole(claimed))

const whole = (claimed: number): number => {
  if (typeof claimed !== 'number' || !(claimed >= 0)) return 1
  return Math.min(claimed, MAX_COST)
}
