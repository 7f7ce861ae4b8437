import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { realClock, realTimers } from '../core/real.ts'
import { delayOf, NodeReaders, shareOf } from './process.ts'
import type { ProcessReadings } from './readers.ts'
import { Sampler } from './sampler.ts'

const block = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}
const machine = { heapShare: () => 0.25, cores: () => Number.NaN }

describe('readings of a process', () => {
  it('B-78a the delay leaves out the period of its own timer', () => {
    expect([delayOf(10, 10_000_000), delayOf(10, 9_000_000), delayOf(10, 310_000_000)]).toEqual([0, 0, 300])
  })

  it('B-78c an empty histogram is unknown, whatever it says', () => {
    expect(delayOf(0, 0)).toBeNaN()
    expect(delayOf(0, 9.2e18)).toBeNaN()
  })

  it('B-61 a share of an unknown whole is unknown, and none is above 1', () => {
    expect(shareOf(50, Number.NaN)).toBeNaN()
    expect(shareOf(50, 0)).toBeNaN()
    expect([shareOf(50, 100), shareOf(150, 100)]).toEqual([0.5, 1])
  })

  it('O-18 a real block is seen whole, even where its end falls on the end of the interval', async () => {
    const readers = new NodeReaders(machine)
    const seen: ProcessReadings[] = []
    const sampler = new Sampler(
      { clock: realClock, timers: realTimers },
      {
        start: () => readers.start(),
        stop: () => readers.stop(),
        read: (ms) => {
          const readings = readers.read(ms)
          seen.push(readings)
          return readings
        },
      },
      () => undefined,
      () => undefined,
    )
    sampler.start()
    await delay(100)
    block(300)
    await delay(50)
    sampler.stop()
    expect(seen[0]?.eventLoopDelayMs).toBeGreaterThan(200)
  })

  it('B-78b utilisation is of the interval, not since the start', async () => {
    const readers = new NodeReaders(machine)
    readers.start()
    await delay(300)
    expect(readers.read(300).eventLoopUtilization).toBeLessThan(0.7)
    block(200)
    await delay(0)
    const { eventLoopUtilization, gcShare, heapShare, cpuShare } = readers.read(200)
    readers.stop()
    expect(eventLoopUtilization).toBeGreaterThan(0.9)
    expect(gcShare).toBeGreaterThanOrEqual(0)
    expect(gcShare).toBeLessThanOrEqual(1)
    expect(heapShare).toBe(0.25)
    expect(cpuShare).toBeNaN()
  })
})
