import { VirtualTime } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Station } from './station.ts'

/** Runs pieces of work and says when each was done. */
const play = (
  concurrency: number | null,
  work: readonly { readonly atMs: number; readonly ms: number }[],
): number[] => {
  const time = new VirtualTime()
  const station = new Station(time, concurrency)
  const done: number[] = []
  for (const [i, { atMs, ms }] of work.entries())
    time.set(() => {
      station.start(ms, () => {
        done[i] = time.now()
      })
    }, atMs)
  time.advance(1e7)
  expect(station.active).toBe(0)
  return done
}

describe('a station', () => {
  it('does work at full speed while there is room, and shares it evenly beyond', () => {
    expect(
      play(2, [
        { atMs: 0, ms: 100 },
        { atMs: 0, ms: 100 },
      ]),
    ).toEqual([100, 100])
    // Four share two: half the speed.
    expect(
      play(
        2,
        Array.from({ length: 4 }, () => ({ atMs: 0, ms: 100 })),
      ),
    ).toEqual([200, 200, 200, 200])
    // Alone for 50 ms, then two share one: the first's other 50 ms take 100, the second has 50 ms left then.
    expect(
      play(1, [
        { atMs: 0, ms: 100 },
        { atMs: 50, ms: 100 },
      ]),
    ).toEqual([150, 200])
  })

  it('without a bound never slows down', () => {
    const work = Array.from({ length: 1_000 }, (_, i) => ({ atMs: i, ms: 500 }))
    expect(play(null, work)).toEqual(work.map(({ atMs, ms }) => atMs + ms))
  })

  it('never does more than its concurrency, and never idles while there is work', () => {
    const piece = fc.record({ atMs: fc.integer({ min: 0, max: 500 }), ms: fc.integer({ min: 1, max: 200 }) })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), (work) => {
        const done = play(1, work)
        // One at full speed is busy without a break from the first arrival of a busy period to the sum of its work.
        const byArrival = work.map((one, i) => ({ ...one, doneMs: done[i] ?? 0 })).sort((a, b) => a.atMs - b.atMs)
        let untilMs = 0
        for (const { atMs, ms } of byArrival) untilMs = Math.max(untilMs, atMs) + ms
        expect(Math.max(...done)).toBeCloseTo(untilMs, 6)
        for (const { atMs, ms, doneMs } of byArrival) expect(doneMs).toBeGreaterThanOrEqual(atMs + ms - 1e-6)
      }),
    )
  })
})
