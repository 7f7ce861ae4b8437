import type { WorkContext } from '../core/context.ts'
import { MAX_ATTEMPTS } from './backoff.ts'
import type { CallOptions, Parts } from './parts.ts'
import { mayRepeat } from './retry.ts'

/**
 * When a second attempt beside the first is due ("The Tail at Scale", Dean and Barroso); Infinity = never: only for work that may be repeated, and
 * that no layer above repeats already.
 */
export const hedgeTime = <T>(
  { policy }: Parts,
  options: CallOptions<T>,
  context: WorkContext | undefined,
  now: number,
): number => {
  const may = policy.hedge !== null && policy.mode === 'enforce' && mayRepeat(options) && (context?.attempt ?? 1) === 1
  return may ? now + policy.hedge.afterMs : Infinity
}

/** Takes what a hedge needs: a slot of its own and a retry's worth of the budget, and only while the breaker is closed. False = no hedge. */
export const payHedge = ({ policy, breaker, slots, budget, books }: Parts, attempts: number, now: number): boolean => {
  if (policy.mode !== 'enforce' || policy.hedge === null || breaker.view(now) !== 'closed') return false
  if (attempts >= Math.min(policy.retry.maxAttempts, MAX_ATTEMPTS) || !slots.tryAcquire(policy.ceiling)) return false
  if (budget.withdraw(now)) {
    books.counts.hedges++
    return true
  }
  slots.release()
  books.counts.budgetExhausted++
  return false
}
