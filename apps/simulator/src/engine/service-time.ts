import type { ServiceTime } from '@weir/api'
import { mixed, type Random } from '@weir/testkit'

/** Draws how long pieces of work take while nothing stands in their way, milliseconds. */
export const serviceTimes = (time: ServiceTime, random: Random): (() => number) => {
  switch (time.kind) {
    case 'constant':
      return () => time.ms
    case 'exponential':
      return () => -Math.log(1 - random()) * time.meanMs
    case 'lognormal':
      return lognormal(time.medianMs, time.p99Ms, random)
    case 'histogram':
      return measured(time.upToMs, time.counts, time.meanMs, random)
  }
}

/** 99 of 100 of a normal distribution lie below this many deviations. */
const Z99 = 2.326_347_87

const lognormal = (medianMs: number, p99Ms: number, random: Random): (() => number) => {
  const sigma = Math.max(0, Math.log(p99Ms / medianMs) / Z99)
  // Box and Muller.
  return () => medianMs * Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
}

/** Evenly inside its cell; at the last bound where it took longer than that. */
const measured = (
  upToMs: readonly number[],
  counts: readonly number[],
  meanMs: number | undefined,
  random: Random,
): (() => number) => {
  const last = upToMs[upToMs.length - 1] ?? 0
  const cells = counts.map((count, i) => {
    const lower = i === 0 ? 0 : (upToMs[i - 1] ?? last)
    return [{ lower, width: (upToMs[i] ?? last) - lower }, count] as const
  })
  const total = counts.reduce((sum, n) => sum + n, 0)
  const middle = cells.reduce((sum, [{ lower, width }, n]) => sum + (lower + width / 2) * n, 0) / total
  const scale = meanMs === undefined || !(middle > 0) ? 1 : meanMs / middle
  const draw = mixed(cells, random)
  return () => {
    const { lower, width } = draw()
    return (lower + width * random()) * scale
  }
}
