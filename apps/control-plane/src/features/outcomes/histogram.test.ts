import { DURATION_BOUNDS_S } from '@weir/wire/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BUCKETS, percentile, rebucket } from './histogram.ts'

const only = (bucket: number, n: number) => Array.from({ length: BUCKETS }, (_, i) => (i === bucket ? n : 0))
const bucketOf = (seconds: number) => {
  const at = DURATION_BOUNDS_S.findIndex((bound) => seconds <= bound)
  return at < 0 ? BUCKETS - 1 : at
}

test('a percentile is linear inside its bucket', () => {
  const bucket = DURATION_BOUNDS_S.indexOf(0.1)
  expect(percentile(only(bucket, 100), 0.5)).toBeCloseTo((0.075 + 0.1) / 2, 9)
  expect(percentile(only(bucket, 100), 1)).toBe(0.1)
  expect(percentile(only(BUCKETS - 1, 3), 0.5)).toBe(30)
  expect(percentile(only(0, 0), 0.5)).toBe(null)
})

test('the percentile of merged histograms lies in the bucket of the true one, which the mean of percentiles does not', () => {
  const fast = only(bucketOf(0.004), 990)
  const slow = only(bucketOf(8), 10)
  const merged = fast.map((n, i) => n + (slow[i] ?? 0))
  expect(percentile(merged, 0.5)).toBeLessThanOrEqual(0.005)
  const mean = ((percentile(fast, 0.5) ?? 0) + (percentile(slow, 0.5) ?? 0)) / 2
  expect(mean).toBeGreaterThan(1)
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.0001, max: 29, noNaN: true }), { minLength: 1, maxLength: 300 }),
      (times) => {
        const counts = new Array<number>(BUCKETS).fill(0)
        for (const time of times) counts[bucketOf(time)] = (counts[bucketOf(time)] ?? 0) + 1
        for (const q of [0.5, 0.9, 0.99]) {
          const sorted = [...times].sort((a, b) => a - b)
          const exact = sorted[Math.ceil(q * sorted.length) - 1] ?? 0
          expect(bucketOf(percentile(counts, q) ?? -1)).toBe(bucketOf(exact))
        }
      },
    ),
  )
})

test('other bounds lose no count and never lower a percentile', () => {
  expect(rebucket([1, 2, 3], [0.1, 1])).toEqual(
    Array.from({ length: BUCKETS }, (_, i) =>
      i === bucketOf(0.1) ? 1 : i === bucketOf(1) ? 2 : i === BUCKETS - 1 ? 3 : 0,
    ),
  )
  expect(rebucket([5], [])?.at(-1)).toBe(5)
  const own = only(3, 4)
  expect(rebucket(own, DURATION_BOUNDS_S)).toEqual(own)
})

test.each([
  ['too few counts', [1], [1]],
  ['bounds that fall', [1, 1, 1], [2, 1]],
  ['a bound that is no number', [1, 1], [Number.NaN]],
])('%s are no histogram', (_, counts, bounds) => {
  expect(rebucket(counts, bounds)).toBe(null)
})
