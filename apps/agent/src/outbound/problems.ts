import { type DependencyPolicy, LIMITS, type Problem } from '@weir/policy/model'

type Check = readonly [path: string, value: number | null, least: number, most: number]

const budgetChecks = (budget: DependencyPolicy['budget']): Check[] =>
  budget.kind === 'token-bucket'
    ? [
        ['budget.maxTokens', budget.maxTokens, 0.001, 1_000],
        ['budget.ratio', budget.ratio, 0.001, 1_000],
      ]
    : [
        ['budget.share', budget.share, 0, 1],
        ['budget.floorPerSecond', budget.floorPerSecond, 0, LIMITS.rate],
        ['budget.windowMs', budget.windowMs, 1_000, 60_000],
      ]

/**
 * Numbers that the arithmetic of this room cannot work with: outside their bounds, or no numbers at all. The policy was validated when it was
 * published; this is what stands between a document of unknown origin and a division by zero. A null is "not used".
 */
export const dependencyProblems = (policy: DependencyPolicy): Problem[] => {
  const { breaker, retry, budget, throttle, outlier, hedge } = policy
  const checks: Check[] = [
    ['ceiling', policy.ceiling, 0, LIMITS.slots],
    ['timeoutMs', policy.timeoutMs, 1, LIMITS.maxMs],
    ['breaker.windowMs', breaker.windowMs, 1, LIMITS.maxMs],
    ['breaker.minimumVolume', breaker.minimumVolume, 1, Number.MAX_SAFE_INTEGER],
    ['breaker.failureShare', breaker.failureShare, Number.MIN_VALUE, 1],
    ['breaker.slowCallMs', breaker.slowCallMs, 0, LIMITS.maxMs],
    ['breaker.slowShare', breaker.slowShare, Number.MIN_VALUE, 1],
    ['breaker.openMs', breaker.openMs, 0, LIMITS.maxMs],
    ['breaker.probes', breaker.probes, 1, 1_000],
    ['breaker.probeLeaseMs', breaker.probeLeaseMs, 1, LIMITS.maxMs],
    ['retry.maxAttempts', retry.maxAttempts, 1, LIMITS.attempts],
    ['retry.initialMs', retry.initialMs, 0, LIMITS.maxMs],
    ['retry.factor', retry.factor, 1, 100],
    ['retry.maxMs', retry.maxMs, 0, LIMITS.maxMs],
    ['retry.maxRetryAfterMs', retry.maxRetryAfterMs, 0, LIMITS.maxMs],
    ...budgetChecks(budget),
    ['throttle.k', throttle?.k ?? null, 1, 100],
    ['throttle.minimumVolume', throttle?.minimumVolume ?? null, 0, Number.MAX_SAFE_INTEGER],
    ['throttle.cap', throttle?.cap ?? null, 0, 1],
    ['outlier.windowMs', outlier?.windowMs ?? null, 1, LIMITS.maxMs],
    ['outlier.minimumVolume', outlier?.minimumVolume ?? null, 1, Number.MAX_SAFE_INTEGER],
    ['outlier.failureShare', outlier?.failureShare ?? null, Number.MIN_VALUE, 1],
    ['outlier.slowFactor', outlier?.slowFactor ?? null, 1, 1_000],
    ['outlier.ejectMs', outlier?.ejectMs ?? null, 1, LIMITS.maxMs],
    ['outlier.maxEjectedShare', outlier?.maxEjectedShare ?? null, 0, 1],
    ['hedge.afterMs', hedge?.afterMs ?? null, 0, LIMITS.maxMs],
  ]
  return checks
    .filter(([, value, least, most]) => value !== null && !(value >= least && value <= most))
    .map(([path, value, least, most]) => ({ path, message: `${value} is not a number from ${least} to ${most}.` }))
}
