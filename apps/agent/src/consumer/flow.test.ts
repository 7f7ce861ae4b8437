import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gatePolicy, settings } from '../admission/gate.testkit.ts'
import { consuming } from './consumer.testkit.ts'
import { Valve } from './valve.ts'

describe('fetching', () => {
  it('B-84a stops at twice the limit, goes on under the limit, and does not flap around either', async () => {
    const { deliver, end, said, consumer } = consuming({ limit: 5 })
    for (let i = 0; i < 9; i++) deliver(`m${i}`)
    expect(said).toEqual([])
    deliver('m9')
    expect([said, consumer.paused]).toEqual([['pause'], true])
    for (let i = 0; i < 5; i++) await end(`m${i}`)
    expect([said, consumer.held]).toEqual([['pause'], 5])
    await end('m5')
    expect([said, consumer.paused]).toEqual([['pause', 'resume'], false])
    for (let i = 10; i < 15; i++) deliver(`m${i}`)
    await end('m6')
    expect(said).toEqual(['pause', 'resume'])
  })

  it('B-84a a valve moves at most once for each full swing of what is held', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 1 }), { maxLength: 400 }), (steps) => {
        const valve = new Valve()
        let held = 10
        let moves = 0
        let [least, most] = [held, held]
        for (const step of steps) {
          held = Math.max(0, held + step)
          least = Math.min(least, held)
          most = Math.max(most, held)
          if (!valve.look(held, 10)) continue
          moves++
          expect(valve.open ? held < 10 : held >= 20).toBe(true)
          if (moves > 1) expect(most - least).toBeGreaterThanOrEqual(10)
          least = held
          most = held
        }
      }),
    )
  })

  it('the window follows the gate’s limit, down too: what is held past twice the new one stops it', async () => {
    const { deliver, gate, consumers, said, window, end } = consuming({ limit: 10 })
    expect(window()).toBe(10)
    for (let i = 0; i < 8; i++) deliver(`m${i}`)
    gate.apply(settings(gatePolicy({ limit: 3 })))
    consumers.look()
    expect([window(), said]).toEqual([3, ['pause']])
    for (let i = 0; i < 6; i++) await end(`m${i}`)
    expect(said).toEqual(['pause', 'resume'])
    gate.apply(settings(gatePolicy({ limit: 30 })))
    consumers.look()
    expect(window()).toBe(30)
  })

  it('a client that throws is reported and does no harm', async () => {
    const { consumer, deliver, runtime, end, words } = consuming({ limit: 1 })
    const fail = () => {
      throw new Error('client')
    }
    consumer.tap({ pause: fail, resume: fail, window: fail })
    deliver('a')
    deliver('b')
    await end('a')
    await end('b')
    expect(words()).toEqual({ a: 'done', b: 'done' })
    expect(runtime.errors.map(({ where }) => where)).toEqual(Array(3).fill('consumer mails'))
  })
})

describe('lag', () => {
  it('is the age of the oldest that came lately or waits in hand', async () => {
    const { deliver, lagS, runtime, end } = consuming({ limit: 1 })
    expect(lagS()).toBe(0)
    deliver('a', 600_000)
    expect(lagS()).toBe(600)
    deliver('b', 1_000)
    await runtime.time.run(10_000)
    expect(lagS()).toBe(11)
    await end('a')
    await end('b')
    await runtime.time.run(1_000)
    deliver('c', 100)
    await runtime.time.run(2_000)
    expect(lagS()).toBe(0.1)
  })

  it('stays what it was while there is no room for more, and is none where there is and nothing comes', async () => {
    const { deliver, lagS, runtime, end } = consuming({ limit: 1 })
    deliver('slow', 600_000)
    await runtime.time.run(60_000)
    expect(lagS()).toBe(600)
    await end('slow')
    expect(lagS()).toBe(600)
    await runtime.time.run(3_000)
    expect(lagS()).toBe(0)
  })

  it('is what was measured at the broker where that is more, for as long as it is news', async () => {
    const { consumer, lagS, runtime } = consuming()
    consumer.measured(90_000)
    await runtime.time.run(5_000)
    expect(lagS()).toBe(90)
    consumer.measured(Number.NaN)
    expect(lagS()).toBe(0)
    consumer.measured(90_000)
    await runtime.time.run(15_000)
    expect(lagS()).toBe(0)
  })

  it('is unknown without a broker', () => {
    const { consumer, lagS } = consuming()
    consumer.connected(false)
    expect(lagS()).toBeNull()
    consumer.connected(true)
    expect(lagS()).toBe(0)
  })
})
