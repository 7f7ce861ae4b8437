import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Timeline } from './timeline.ts'

const seconds = (from: number, n: number) => Array.from({ length: n }, (_, i) => from + i)

describe('a timeline', () => {
  it('reads a bucket that nobody wrote as a gap, not as 0', () => {
    const line = new Timeline(10, 1)
    line.put(100, { offered: 5 })
    line.put(102, { offered: 0 })
    expect(seconds(99, 4).map((s) => line.at(s, 'offered'))).toEqual([null, 5, null, 0])
  })

  it('replaces a second whole when a later message speaks of it', () => {
    const line = new Timeline(10, 1)
    line.put(100, { offered: 5, shed: 2 })
    line.put(100, { offered: 7 })
    expect([line.at(100, 'offered'), line.at(100, 'shed')]).toEqual([7, null])
  })

  it('forgets what fell out of the ring, and does not take it back', () => {
    const line = new Timeline(3, 1)
    for (const s of seconds(100, 5)) line.put(s, { offered: s })
    line.put(101, { offered: 1 })
    expect(seconds(100, 5).map((s) => line.at(s, 'offered'))).toEqual([null, null, 102, 103, 104])
  })

  it('merges history under what was heard live', () => {
    const line = new Timeline(10, 1)
    line.put(102, { offered: 9 })
    line.fill(100, { offered: [1, null, 3, 4] })
    expect(seconds(100, 4).map((s) => line.at(s, 'offered'))).toEqual([1, null, 9, 4])
  })

  it('lets history win where it is told to: it stands in while the live socket is down', () => {
    const line = new Timeline(10, 1)
    line.put(100, { offered: 9 })
    line.fill(100, { offered: [1] }, true)
    expect(line.at(100, 'offered')).toBe(1)
  })

  it('sums a window without its gaps, and says when there is nothing but gap', () => {
    const line = new Timeline(10, 1)
    line.put(100, { offered: 5 })
    line.put(103, { offered: 2 })
    expect([line.sum('offered', 100, 104), line.sum('offered', 101, 103)]).toEqual([7, null])
  })

  it('reads a window into an array that is used again, scaled, with its gaps', () => {
    const line = new Timeline(10, 1)
    line.put(100, { offered: 5 })
    line.put(102, { offered: 8 })
    const out: (number | null)[] = [1, 2, 3, 4, 5, 6, 7]
    line.read('offered', 99, 4, 0.5, out)
    expect(out).toEqual([null, 2.5, null, 4])
  })

  it('keeps coarse buckets by their start', () => {
    const line = new Timeline(10, 10)
    line.fill(1_000, { offered: [1, null, 3] })
    expect([line.at(1_005, 'offered'), line.at(1_010, 'offered'), line.at(1_029, 'offered')]).toEqual([1, null, 3])
  })

  it('holds exactly the newest buckets, whatever the order of writing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 60 }), (writes) => {
        const line = new Timeline(16, 1)
        const model = new Map<number, number>()
        let latest = 0
        writes.forEach((second, i) => {
          line.put(second, { v: i })
          if (second > latest - 16) model.set(second, i)
          latest = Math.max(latest, second)
        })
        for (const second of seconds(1, 200)) {
          const kept = second > latest - 16 ? (model.get(second) ?? null) : null
          if (second > latest - 16 && second <= latest) expect(line.at(second, 'v')).toBe(kept)
        }
      }),
    )
  })

  it('tells by how much a gauge changed between the first and the last that was heard', () => {
    const line = new Timeline(20, 1)
    line.put(101, { waiting: 3 })
    line.put(104, { waiting: 9 })
    line.put(106, { offered: 1 })
    expect([
      line.change('waiting', 100, 110),
      line.change('waiting', 102, 110),
      line.change('waiting', 110, 112),
    ]).toEqual([6, 0, 0])
  })
})
