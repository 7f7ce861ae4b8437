import type { Random } from './random.ts'
import type { Shape, Stretch } from './shapes.ts'

/** How much work lies between one arrival and the next, 1 on average. */
export type Gap = () => number

/** Evenly spread. */
export const even: Gap = () => 1

/** As independent callers arrive. */
export const poisson =
  (random: Random): Gap =>
  () =>
    -Math.log(1 - random())

/**
 * Moments of arrival, milliseconds from `startMs`, ascending, made one at a time. The next piece comes where the offered work, the integral of the
 * rate, has grown by one more gap: exact for ramps too.
 */
export function* arrivals(shape: Shape, gap: Gap, startMs = 0): Generator<number> {
  let beginMs = startMs
  let left = gap()
  for (const stretch of shape) {
    let atMs = 0
    while (true) {
      const nextMs = whenOffered(stretch, atMs, left)
      if (!(nextMs < stretch.ms)) break
      atMs = nextMs
      left = gap()
      yield beginMs + atMs
    }
    left -= work(stretch, stretch.ms) - work(stretch, atMs)
    beginMs += stretch.ms
  }
}

/** Work offered in the first `ms` of a stretch. */
const work = ({ ms: length, from, to }: Stretch, ms: number): number =>
  length > 0 ? (from * ms + ((to - from) * ms * ms) / (2 * length)) / 1_000 : 0

/** When, after `sinceMs` of a stretch, `amount` more has been offered; not a number or past its end: not in it. */
const whenOffered = (stretch: Stretch, sinceMs: number, amount: number): number => {
  const { ms, from, to } = stretch
  const rate = from + ((to - from) * sinceMs) / ms
  const slope = (to - from) / ms
  if (slope === 0) return sinceMs + (amount * 1_000) / rate
  // The root of slope/2 t^2 + rate t = 1,000 amount, in the form that loses no digits.
  return sinceMs + (2_000 * amount) / (rate + Math.sqrt(rate * rate + 2_000 * slope * amount))
}
