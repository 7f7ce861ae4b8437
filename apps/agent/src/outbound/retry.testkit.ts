import type { DependencyPolicy } from '@weir/policy/model'
import { type PolicyChange, rig } from './rig.testkit.ts'

export const retry = { maxAttempts: 3, backoff: 'fixed', initialMs: 100, jitter: 'none' } as const
export const plenty: DependencyPolicy['budget'] = { kind: 'ratio', share: 1, floorPerSecond: 1_000, windowMs: 10_000 }
export const retrying = (change: PolicyChange = {}) =>
  rig({
    budget: plenty,
    timeoutMs: 10_000,
    ...change,
    breaker: { mode: 'forced-closed' },
    retry: { ...retry, ...change.retry },
  })
export const idempotent = { idempotent: true }

/** Fails `failures` times, then answers with the number of the attempt. Says when it was sent. */
export const flaky = ({ time }: ReturnType<typeof retrying>, failures: number) => {
  const sentAt: number[] = []
  const start = time.now()
  const work = ({ attempt }: { attempt: number }) => {
    sentAt.push(time.now() - start)
    return attempt <= failures ? Promise.reject(`failure ${attempt}`) : Promise.resolve(attempt)
  }
  return { work, sentAt }
}
