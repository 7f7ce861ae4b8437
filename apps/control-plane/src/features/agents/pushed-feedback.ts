import type { EffectivePolicy, FeedbackPolicy, Quota } from '@weir/policy/model'

/** What of an effective policy the control plane obeys itself. */
export interface PushedFeedback {
  readonly rules: Readonly<Record<string, FeedbackPolicy>>
  /** Resources of the rules that have a quota which a share could make smaller. */
  readonly bound: ReadonlySet<string>
}

export const NO_FEEDBACK: PushedFeedback = { rules: {}, bound: new Set() }

const limits = ({ rate, concurrency }: Quota): boolean => rate !== null || concurrency !== null

/** A policy that was stored before there was feedback has none. */
export const feedbackOf = ({ policy, quotas }: EffectivePolicy): PushedFeedback => {
  const rules = policy.feedback ?? {}
  const bound = Object.values(rules)
    .map(({ resource }) => resource)
    .filter((resource) => limits(policy.tenants.default) || Object.values(quotas[resource] ?? {}).some(limits))
  return { rules, bound: new Set(bound) }
}
