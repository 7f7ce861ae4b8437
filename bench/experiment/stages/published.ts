/** The four published stages, as a team would write them today with cockatiel. None bears an idempotency key: none of the four patterns asks for one. */
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  fullJitterGenerator,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { PARAMETERS } from '../parameters.ts'
import { attempt, type Stage } from './attempt.ts'

const patience = timeout(PARAMETERS.patienceMs, TimeoutStrategy.Aggressive)
const perAttempt = timeout(PARAMETERS.attemptMs, TimeoutStrategy.Aggressive)
const backoff = {
  maxAttempts: PARAMETERS.retries,
  backoff: new ExponentialBackoff({ initialDelay: PARAMETERS.backoffMs, generator: fullJitterGenerator }),
}
const retries = retry(handleAll, backoff)
const retriesWhileClosed = retry(
  handleWhen((error) => !isBrokenCircuitError(error)),
  backoff,
)
const breaker = circuitBreaker(handleAll, {
  breaker: new ConsecutiveBreaker(PARAMETERS.breakAfter),
  halfOpenAfter: PARAMETERS.openMs,
})
const compartment = bulkhead(PARAMETERS.bulkhead)

interface Guard {
  execute<T>(fn: (context: { readonly signal: AbortSignal }) => PromiseLike<T>): Promise<T>
}

const stageOf = (policy: Guard): Stage => ({
  pay: (payment) => policy.execute(({ signal }) => attempt(payment, signal)),
})

export const PUBLISHED_STAGES: Readonly<Record<'base' | 'retry' | 'breaker' | 'bulkhead', Stage>> = {
  base: stageOf(patience),
  retry: stageOf(wrap(patience, retries, perAttempt)),
  breaker: stageOf(wrap(patience, retriesWhileClosed, breaker, perAttempt)),
  bulkhead: stageOf(wrap(patience, retriesWhileClosed, breaker, compartment, perAttempt)),
}
