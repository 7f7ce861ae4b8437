import type { ServiceModel } from '@weir/api'
import { DURATION_BOUNDS_S } from '@weir/wire/model'
import type { Figures } from '../outcomes/outcome-store.ts'

/** One bucket of a gate, as far as it tells how fast the service is. */
interface Look {
  /** Pieces of work that ended. */
  readonly ended: number
  /** Mean time in the slot, seconds. */
  readonly ranS: number
  /** In progress at a time, per process. */
  readonly active: number
  /** Share of the time that was waiting. */
  readonly waited: number
  readonly counts: readonly number[]
}

/** Waiting below this share of the time leaves the histogram of durations a histogram of the service's own time. */
const LITTLE_WAIT = 0.05
/** Work is this much slower when there is this much more of it: it shares something that is short. */
const SLOWER = 1.3
/** Work that an estimate rests on, at least. */
const ENOUGH = 50

/** Of calm buckets, those that are so much slower than most still work off what was before them. */
const TROUBLED = 1.1

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const meanBy = (looks: readonly Look[], of: (look: Look) => number): number =>
  sum(looks.map((look) => of(look) * look.ended)) / sum(looks.map(({ ended }) => ended))

const lookAt = (figures: Figures): Look[] => {
  const counts = figures.duration_counts
  const ended = counts === null ? 0 : sum(counts)
  if (counts === null || ended <= 0) return []
  const spent = figures.duration_sum ?? 0
  const waited = Math.min(figures.wait_sum ?? 0, spent)
  const heard = figures.gauge_seconds ?? 0
  return [
    {
      ended,
      counts,
      ranS: (spent - waited) / ended,
      active: heard > 0 ? (figures.active_integral ?? 0) / heard : 0,
      waited: spent > 0 ? waited / spent : 0,
    },
  ]
}

/** Most in progress at a time, per process, over a bucket; `null`: not heard. */
export const mostActive = (rows: readonly Figures[]): number | null => {
  const looks = rows.flatMap(lookAt)
  return looks.length === 0 ? null : Math.max(...looks.map(({ active }) => active))
}

/**
 * What the service behind a gate can do, from what was measured of its work; `null` where too little ended. Its own time is what work took without the
 * wait at the gate: the histogram of buckets with next to no wait, else that of all, scaled to the mean that is left once waiting is taken off. Where
 * work was slower whenever more of it ran, it shares something: by Little's law so many pieces run at full speed as the rate of the busiest third of
 * the time, times how long work takes in the calmest.
 */
export const serviceModel = (rows: readonly Figures[]): ServiceModel | null => {
  const looks = rows.flatMap(lookAt).sort((a, b) => a.active - b.active)
  const ended = sum(looks.map((look) => look.ended))
  if (ended < ENOUGH) return null
  const third = Math.ceil(looks.length / 3)
  const calm = untroubled(looks.slice(0, third))
  const busy = looks.slice(-third)
  const aloneS = meanBy(calm, ({ ranS }) => ranS)
  const busyS = meanBy(busy, ({ ranS }) => ranS)
  const shares =
    busyS > SLOWER * aloneS && meanBy(busy, ({ active }) => active) > SLOWER * meanBy(calm, ({ active }) => active)
  const concurrency = shares ? Math.max(1, (meanBy(busy, ({ active }) => active) * aloneS) / busyS) : null
  const alone = shares ? calm : looks
  const waitless = alone.filter(({ waited }) => waited <= LITTLE_WAIT)
  const kept = sum(waitless.map((look) => look.ended)) >= ENOUGH ? waitless : alone
  const counts = kept[0]?.counts.map((_, i) => sum(kept.map((look) => look.counts[i] ?? 0))) ?? []
  const meanMs = meanBy(kept, ({ ranS }) => ranS) * 1_000
  const bad = sum(rows.map((row) => row.failed ?? 0))
  const all = bad + sum(rows.map((row) => (row.completed ?? 0) + (row.late ?? 0)))
  return {
    time: {
      kind: 'histogram',
      upToMs: DURATION_BOUNDS_S.map((bound) => bound * 1_000),
      counts,
      ...(meanMs > 0 ? { meanMs } : {}),
    },
    concurrency,
    failed: all > 0 ? bad / all : 0,
  }
}

const untroubled = (looks: readonly Look[]): readonly Look[] => {
  const times = looks.map(({ ranS }) => ranS).sort((a, b) => a - b)
  const median = times[times.length >> 1] ?? 0
  return looks.filter(({ ranS }) => ranS <= TROUBLED * median)
}
