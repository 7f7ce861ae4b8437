import type { RetryPolicy } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'
import { type BackoffSequence, MAX_ATTEMPTS } from './backoff.ts'
import type { RetryBudget } from './budget.ts'
import type { Verdict } from './verdict.ts'

/** Everything that decides whether attempt `attempt`, which failed, is followed by another. */
export interface RetryQuestion {
  readonly verdict: Verdict
  /** The one that failed, from 1. */
  readonly attempt: number
  /** Work that may be done twice, or bears an idempotency key. */
  readonly repeatable: boolean
  /** Which attempt of an upper layer this work is: above 1 the upper layer retries, so this one does not. */
  readonly upperAttempt: number
  readonly now: number
  readonly deadlineAt: number
  /** Whether the breaker may let another attempt in. */
  readonly breakerOpen: boolean
}

export const RETRY_REFUSALS = [
  'final',
  'not-repeatable',
  'attempts',
  'other-layer',
  'stop',
  'too-long',
  'deadline',
  'breaker',
  'budget',
] as const
export type RetryRefusal = (typeof RETRY_REFUSALS)[number]

export type RetryAnswer =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly why: RetryRefusal }

/** Work that may be done twice: it says so, or bears an idempotency key. */
export const mayRepeat = (options: {
  readonly idempotent?: boolean | undefined
  readonly idempotencyKey?: string | undefined
}): boolean => options.idempotent === true || options.idempotencyKey !== undefined

/** Whether a verdict alone rules out a retry in this layer. */
export const forbidsRetry = ({ signal, retryable, retried }: Verdict): boolean =>
  signal === 'stop' || !retryable || retried > 0

/**
 * Whether a retry that was not made here must not be made by a layer above either, so that it is told as if one had been: the callee said so, the
 * budget of the one layer that may retry is empty, or it would fail the same way again. What this layer cannot know (whether the work may be
 * repeated) or was told not to do is left to the next.
 */
export const holdsAbove = (why: RetryRefusal, verdict: Verdict): boolean =>
  why === 'stop' || why === 'too-long' || why === 'budget' || (why === 'final' && verdict.kind === 'failure')

const no = (why: RetryRefusal): RetryAnswer => ({ retry: false, why })

/**
 * Whether and when to retry, decided before the sleep. The wait is our own jittered backoff, on top of what the callee named, if anything; a
 * wait that it named exactly is kept exactly, and the backoff starts anew. What it named beyond `maxRetryAfterMs` is not waited for.
 * The budget is asked last, for asking pays.
 */
export const decideRetry = (
  question: RetryQuestion,
  policy: RetryPolicy,
  backoff: BackoffSequence,
  budget: RetryBudget,
  random: Random,
): RetryAnswer => {
  const { verdict, attempt, now } = question
  if (verdict.signal === 'stop') return no('stop')
  if (!verdict.retryable) return no('final')
  if (!question.repeatable) return no('not-repeatable')
  if (attempt >= Math.min(policy.maxAttempts, MAX_ATTEMPTS)) return no('attempts')
  if (verdict.retried > 0 || question.upperAttempt > 1) return no('other-layer')
  if ((verdict.waitMs ?? 0) > policy.maxRetryAfterMs) return no('too-long')
  if (question.breakerOpen) return no('breaker')
  const delayMs = delayOf(verdict, policy, backoff, random)
  if (now + delayMs >= question.deadlineAt) return no('deadline')
  if (!budget.withdraw(now)) return no('budget')
  return { retry: true, delayMs }
}

const delayOf = (verdict: Verdict, policy: RetryPolicy, backoff: BackoffSequence, random: Random): number => {
  if (verdict.exact && verdict.waitMs !== null) {
    backoff.restart()
    return verdict.waitMs
  }
  return (verdict.waitMs ?? 0) + backoff.next(policy, random)
}
