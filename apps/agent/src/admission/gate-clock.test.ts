import { expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, quota, settings } from './gate.testkit.ts'

it('B-76a a clock that steps back lengthens no deadline and no wait, and gives no tenant anything', async () => {
  const policy = gatePolicy({ limit: 1, queue: { maxWaitMs: 50 } })
  const { gate, runtime } = bench(settings(policy, { quotas: { acme: quota({ rate: 1, burst: 1 }) } }))
  const { ask, words } = asking(gate)
  runtime.time.advance(10_000)
  const permit = permitOf(gate.tryAcquire({ tenant: 'acme', deadlineMs: 100 }))
  ask('waits')
  const now = runtime.clock.now.bind(runtime.clock)
  runtime.time.now = () => now() - 3_600_000
  expect(permit.remainingMs).toBe(100)
  expect(gate.report().oldestAgeMs).toBe(0)
  runtime.time.now = now
  runtime.time.advance(60)
  expect(permit.remainingMs).toBe(40)
  expect(await words()).toEqual({ waits: 'queue-timeout' })
  permit.success()
  expect(gate.tryAcquire({ tenant: 'acme' })).toMatchObject({ reason: 'tenant-rate' })
})
