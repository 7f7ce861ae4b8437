import { describe, expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'

describe('pressure', () => {
  it('the event-loop delay is added to the predicted wait, as it is when the work arrives', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 100 } })))
    const { ask, words } = asking(gate)
    permitOf(gate.tryAcquire({}))
    gate.delayMs = 101
    ask('late')
    gate.delayMs = 100
    ask('in time')
    expect(await words()).toEqual({ late: 'would-be-late' })
  })

  it('its level is reported as it is when asked', () => {
    const { gate, figures } = bench(settings(gatePolicy()))
    gate.level = 2
    expect(gate.report().level).toBe(2)
    expect(figures().gauge('level')).toBe(2)
  })
})
