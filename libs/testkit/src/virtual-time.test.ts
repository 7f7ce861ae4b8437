import { describe, expect, it } from 'vitest'
import { seededRandom } from './random.ts'
import { VirtualTime } from './virtual-time.ts'

describe('virtual time', () => {
  it('runs due timers in order, each at its own moment, also those set on the way', () => {
    const time = new VirtualTime()
    const seen: [string, number][] = []
    const note = (name: string) => () => seen.push([name, time.now()])
    time.set(note('late'), 30)
    time.set(() => {
      note('early')()
      time.set(note('nested'), 5)
    }, 10)
    time.set(note('same moment, set later'), 10)
    time.advance(29)
    expect(seen).toEqual([
      ['early', 10],
      ['same moment, set later', 10],
      ['nested', 15],
    ])
    expect([time.now(), time.pending]).toEqual([29, 1])
    time.advance(1)
    expect(seen.at(-1)).toEqual(['late', 30])
  })

  it('lets awaiting code go on between two timers', async () => {
    const time = new VirtualTime()
    const sleep = (ms: number) => new Promise<void>((resolve) => time.set(resolve, ms))
    const woken: number[] = []
    const sleeper = (async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(10)
        woken.push(time.now())
      }
    })()
    await time.run(35)
    await sleeper
    expect(woken).toEqual([10, 20, 30])
  })

  it('seeded randomness repeats and is uniform in [0, 1)', () => {
    const [a, b] = [seededRandom(7), seededRandom(7)]
    const drawn = Array.from({ length: 10_000 }, () => a())
    expect(drawn.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => b()))
    expect(drawn.every((x) => x >= 0 && x < 1)).toBe(true)
    expect(drawn.reduce((sum, x) => sum + x, 0) / drawn.length).toBeCloseTo(0.5, 1)
  })

  it('forgets a timer that was taken back, and moves nowhere without one', () => {
    const time = new VirtualTime()
    const handle = time.set(() => expect.unreachable(), 5)
    time.clear(handle)
    time.clear(handle)
    time.clear(undefined)
    expect([time.pending, time.nextMs, time.step(100), time.now()]).toEqual([0, Number.POSITIVE_INFINITY, false, 0])
    time.set(() => expect.unreachable(), Number.POSITIVE_INFINITY)
    time.advance(1e9)
  })
})
