import {
  BrokenCircuitError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  isBrokenCircuitError,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import CircuitBreaker from 'opossum'

const noOp = async (): Promise<void> => undefined

/** cockatiel: one breaker around nothing. */
export const cockatielBreaker = (): (() => Promise<unknown>) => {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) })
  return () => breaker.execute(noOp)
}

/** cockatiel: a breaker held open, each call caught. */
export const cockatielRefusal = (): (() => Promise<unknown>) => {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) })
  breaker.isolate()
  return () =>
    breaker.execute(noOp).catch((error: unknown) => {
      if (!(error instanceof BrokenCircuitError) && !isBrokenCircuitError(error)) return undefined
      return error
    })
}

/** cockatiel: what comes nearest to a dependency's call. */
export const cockatielWrap = (): (() => Promise<unknown>) => {
  const policy = wrap(
    retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }),
    circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) }),
    bulkhead(100),
    timeout(3_000, TimeoutStrategy.Aggressive),
  )
  return () => policy.execute(noOp)
}

/** opossum: a breaker held open, each call caught. */
export const opossumRefusal = (): (() => Promise<unknown>) => {
  const breaker = new CircuitBreaker(noOp, { timeout: 3_000 })
  breaker.open()
  return () => breaker.fire().catch((error: unknown) => error)
}
