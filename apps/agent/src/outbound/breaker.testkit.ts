import { type BreakerPolicy, DEFAULT_DEPENDENCY } from '@weir/policy/model'
import { Breaker, type Ticket } from './breaker.ts'

export const policy = (change: Partial<BreakerPolicy> = {}): BreakerPolicy => ({
  ...DEFAULT_DEPENDENCY.breaker,
  windowMs: 10_000,
  minimumVolume: 2,
  openMs: 1_000,
  probes: 1,
  probeLeaseMs: 500,
  ...change,
})

export const admitted = (breaker: Breaker, now: number): Ticket => {
  const ticket = breaker.tryAcquire(now)
  if (ticket === null) throw new Error('refused')
  return ticket
}
export const fail = (breaker: Breaker, now: number) => breaker.failure(admitted(breaker, now), now, 1)
export const succeed = (breaker: Breaker, now: number) => breaker.success(admitted(breaker, now), now, 1)
export const opened = (change: Partial<BreakerPolicy> = {}) => {
  const breaker = new Breaker(policy(change), 0)
  fail(breaker, 0)
  fail(breaker, 0)
  if (breaker.view(0) !== 'open') throw new Error('it should be open')
  return breaker
}
export const acquireMany = (breaker: Breaker, now: number, callers: number) =>
  Array.from({ length: callers }, () => breaker.tryAcquire(now)).filter((ticket) => ticket !== null)
