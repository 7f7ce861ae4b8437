import type { Backoff, Jitter } from '@weir/policy/model'
import { DEFAULT_DEPENDENCY } from '@weir/policy/model'
import { seededRandom } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/backoff.json' with { type: 'json' }
import { BackoffSequence, jittered, plainBackoff } from './backoff.ts'

const { initialMs, maxMs } = cases.jitterSettings
const KINDS: readonly Backoff[] = ['fixed', 'incremental', 'exponential']
const JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'decorrelated']

describe('backoff, from spec/backoff.json', () => {
  it.each(cases.plain)('$name', ({ kind, initialMs, factor, maxMs, waits, stepMs }) => {
    const got = waits.map((_, i) => plainBackoff(kind as Backoff, i + 1, initialMs, factor, maxMs, stepMs))
    expect(got).toEqual(waits)
  })

  it.each(cases.at)('$name', ({ kind, initialMs, factor, maxMs, n, wait }) => {
    expect(plainBackoff(kind as Backoff, n, initialMs, factor, maxMs)).toBe(wait)
  })

  it.each(cases.jitter)(
    '$kind jitter of $plainMs ms after $previousMs ms stays in its interval and fills it',
    (row) => {
      const random = seededRandom(7)
      const draws = Array.from({ length: 2_000 }, () =>
        jittered(row.kind as Jitter, row.plainMs, row.previousMs, initialMs, maxMs, random),
      )
      const width = row.most - row.least
      expect(Math.min(...draws)).toBeGreaterThanOrEqual(row.least)
      expect(Math.max(...draws)).toBeLessThanOrEqual(row.most)
      expect(Math.min(...draws)).toBeLessThanOrEqual(row.least + width * 0.02)
      expect(Math.max(...draws)).toBeGreaterThanOrEqual(row.most - width * 0.02)
    },
  )
})

describe('backoff', () => {
  it.each(KINDS.flatMap((kind) => JITTERS.map((jitter) => ({ kind, jitter }))))(
    'B-62 B-63 $kind with $jitter jitter: every wait of attempts 1 to 1e6 is above 0 and at most the cap',
    ({ kind, jitter }) => {
      const policy = { ...DEFAULT_DEPENDENCY.retry, backoff: kind, jitter, initialMs: 100, factor: 2, maxMs: 30_000 }
      const random = seededRandom(3)
      const sequence = new BackoffSequence()
      let bad = 0
      for (let n = 1; n <= 1_000_000; n++) {
        const wait = sequence.next(policy, random)
        if (!(wait > 0 && wait <= 30_000)) bad++
      }
      expect(bad).toBe(0)
    },
  )

  it('B-62 the extreme draws stay inside, too', () => {
    for (const jitter of JITTERS)
      for (const draw of [0, 1 - Number.EPSILON]) {
        const wait = jittered(jitter, 30_000, 30_000, 100, 30_000, () => draw)
        expect(wait, `${jitter} ${draw}`).toBeGreaterThan(0)
        expect(wait, `${jitter} ${draw}`).toBeLessThanOrEqual(30_000)
      }
  })

  it('B-66b jitter is never drawn down to nothing under equal, nor above the plain wait under full', () => {
    expect(jittered('equal', 1_000, 0, 1_000, 30_000, () => 1 - Number.EPSILON)).toBeGreaterThanOrEqual(500)
    expect(jittered('full', 1_000, 0, 1_000, 30_000, () => 0)).toBe(1_000)
  })

  it('starts anew after a pushback', () => {
    const policy = { ...DEFAULT_DEPENDENCY.retry, jitter: 'none' as const, initialMs: 10, factor: 2, maxMs: 1_000 }
    const sequence = new BackoffSequence()
    const waits = [sequence.next(policy, Math.random), sequence.next(policy, Math.random)]
    sequence.restart()
    expect([...waits, sequence.next(policy, Math.random)]).toEqual([10, 20, 10])
  })
})
