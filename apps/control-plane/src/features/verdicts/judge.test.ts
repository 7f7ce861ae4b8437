import { describe, expect, it } from 'vitest'
import { BUCKET_SECONDS, judge, type Moment } from './judge.ts'

const NOW = 100_003
const END = 100_000

type Rates = Partial<Omit<Moment, 'second'>>

/** `count` buckets that end `ago` buckets before the present one, all alike, per second. */
const stretch = (ago: number, count: number, { oldestAgeMs = 0, ...rates }: Rates): Moment[] =>
  Array.from({ length: count }, (_, i) => {
    const of = (value: number | undefined): number => (value ?? 0) * BUCKET_SECONDS
    const goodput = of(rates.goodput)
    return {
      second: END - (ago + count - i) * BUCKET_SECONDS,
      offered: of(rates.offered),
      accepted: rates.accepted === undefined ? goodput + of(rates.endedBadly) : of(rates.accepted),
      goodput,
      refused: of(rates.refused),
      endedBadly: of(rates.endedBadly),
      oldestAgeMs,
    }
  })

const verdict = (moments: Moment[], high = { offered: 0, refused: 0 }, past: Moment[] = []) =>
  judge({ now: NOW, lookedBackTo: END - 800, moments, past: { seconds: BUCKET_SECONDS, moments: past }, high })

const CALM = { offered: 60, goodput: 60 }
const SHEDDING = { offered: 360, goodput: 118, refused: 240 }

describe('S4 how a service stands', () => {
  it('is healthy where next to nothing is refused, since before the quarter of an hour', () => {
    expect(verdict(stretch(0, 80, CALM))).toMatchObject({ verdict: 'healthy', since: null, signs: [], goodput: 60 })
    expect(verdict(stretch(0, 5, CALM))).toMatchObject({ verdict: 'healthy', since: END - 50 })
  })

  it('is controlled shedding where goodput holds, since the first bucket that refused', () => {
    const moments = [...stretch(6, 20, CALM), ...stretch(0, 6, SHEDDING)]
    expect(verdict(moments)).toMatchObject({ verdict: 'shedding', since: END - 60, goodputBefore: 118 })
  })

  it('is collapse where goodput falls though no less is offered, whatever is refused', () => {
    const moments = [
      ...stretch(6, 20, { offered: 120, goodput: 118 }),
      ...stretch(0, 6, { offered: 360, goodput: 30, refused: 330 }),
    ]
    expect(verdict(moments)).toMatchObject({
      verdict: 'collapse',
      since: END - 60,
      signs: ['goodput-falls'],
      goodputBefore: 118,
    })
  })

  it('is no collapse where less work came: goodput can be no more than was offered', () => {
    expect(verdict([...stretch(6, 20, SHEDDING), ...stretch(0, 6, CALM)])).toMatchObject({
      verdict: 'healthy',
      since: END - 60,
    })
  })

  it('remembers from the hours before what the service could do', () => {
    const low = { offered: 120, goodput: 20, refused: 100 }
    const past = stretch(200, 10, { offered: 110, goodput: 108 })
    expect(verdict(stretch(0, 90, low), undefined, past)).toMatchObject({ verdict: 'collapse', since: null })
    expect(verdict(stretch(0, 90, low))).toMatchObject({ verdict: 'shedding' })
  })

  it('takes refused high classes for a sign, and for collapse together with a queue that ages', () => {
    const high = { offered: 100, refused: 6 }
    const moments = [...stretch(3, 20, { ...SHEDDING, oldestAgeMs: 200 }), ...stretch(0, 3, SHEDDING)]
    expect(verdict(moments, high)).toMatchObject({ verdict: 'shedding', signs: ['high-classes-refused'] })
    const aging = [...moments.slice(0, -3), ...stretch(0, 3, { ...SHEDDING, oldestAgeMs: 1_400 })]
    expect(verdict(aging, high)).toMatchObject({
      verdict: 'collapse',
      signs: ['high-classes-refused', 'queue-ages'],
    })
  })

  it('is collapse where half of what is accepted ends badly, also without any memory', () => {
    expect(verdict(stretch(0, 3, { offered: 20, goodput: 8, endedBadly: 12 }))).toMatchObject({
      verdict: 'collapse',
      signs: ['ends-badly'],
    })
  })

  it('is silent once half a minute has nothing, and tells since when; idle work is not silence', () => {
    expect(verdict(stretch(4, 10, CALM))).toMatchObject({ verdict: 'silent', since: END - 40, heardAt: END - 40 })
    expect(verdict([])).toMatchObject({ verdict: 'silent', since: null, heardAt: null })
    expect(verdict(stretch(0, 10, {}))).toMatchObject({ verdict: 'healthy', offered: 0 })
  })

  it('is not misled by one bucket among others when it tells since when', () => {
    const moments = [
      ...stretch(10, 20, CALM),
      ...stretch(6, 4, SHEDDING),
      ...stretch(5, 1, CALM),
      ...stretch(0, 5, SHEDDING),
    ]
    expect(verdict(moments).since).toBe(END - 100)
  })
})
