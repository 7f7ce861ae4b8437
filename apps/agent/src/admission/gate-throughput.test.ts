import { settled } from '@weir/testkit'
import { expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'

it('K1 thirty workers at ten slots and 100 ms each do 1,000 pieces in 10 s: no slot is ever idle, and none is lost', async () => {
  const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 10, queue: { maxWaitMs: 1_000 } })))
  let done = 0
  const worker = async () => {
    for (;;) {
      const permit = permitOf(await gate.acquire({ deadlineMs: 10_000 }))
      await new Promise<void>((resolve) => runtime.timers.set(resolve, 100))
      permit.success()
      done++
    }
  }
  for (let i = 0; i < 30; i++) void worker().catch(() => undefined)
  for (let second = 0; second < 10; second++) {
    await runtime.time.run(1_000)
    expect(gate.report()).toMatchObject({ active: 10, waiting: 20 })
  }
  expect([done, figures().sum('shed')]).toEqual([1_000, 0])
  gate.close()
  await settled()
})
