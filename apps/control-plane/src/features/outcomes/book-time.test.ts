import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bookTime, timeShares } from './book-time.ts'

const NOW = 1_796_022_000_000

test.each([
  ['fresh', NOW - 1_000, NOW, false, NOW, false],
  ['4.9 s ago', NOW - 5_900, NOW - 4_900, false, NOW - 4_900, false],
  ['6 s ago, numbered by nobody', NOW - 7_000, NOW - 6_000, false, NOW, true],
  ['6 s ago, numbered', NOW - 7_000, NOW - 6_000, true, NOW - 6_000, false],
  ['14 min ago, numbered', NOW - 850_000, NOW - 840_000, true, NOW - 840_000, false],
  ['16 min ago, numbered', NOW - 970_000, NOW - 960_000, true, NOW, true],
  ['6 s ahead, numbered', NOW + 5_000, NOW + 6_000, true, NOW, true],
] as const)('a window that is %s', (_, start, end, numbered, bookedEnd, skewed) => {
  const booked = bookTime(start, end, NOW, numbered)
  expect(booked).toEqual({ startMs: bookedEnd - (end - start), endMs: bookedEnd, skewed })
})

test('times that are no window are refused', () => {
  for (const [start, end] of [
    [NOW, NOW - 1],
    [NOW - 121_000, NOW],
    [Number.NaN, NOW],
    [NOW, Number.NaN],
    [0, 0],
  ] as const)
    expect(bookTime(start, end, NOW, true), `${start} ${end}`).toBe(null)
})

test('a window without a beginning is taken for one of a second', () => {
  expect(bookTime(0, NOW, NOW, false)).toEqual({ startMs: NOW - 1_000, endMs: NOW, skewed: false })
})

test('a window is shared out to its seconds by time', () => {
  expect(timeShares(10_250, 11_250)).toEqual([
    { second: 10, share: 0.75 },
    { second: 11, share: 0.25 },
  ])
  expect(timeShares(10_000, 11_000)).toEqual([{ second: 10, share: 1 }])
  expect(timeShares(10_500, 10_500)).toEqual([{ second: 10, share: 1 }])
  expect(timeShares(11_000, 11_000)).toEqual([{ second: 11, share: 1 }])
})

test('whatever the window, the parts of a count sum to the count exactly', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 2e12, noNaN: true }),
      fc.double({ min: 0, max: 120_000, noNaN: true }),
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.constantFrom(1, 2, 5, 10, 30, 60),
      (start, length, count, pieceSeconds) => {
        const shares = timeShares(start, start + length, pieceSeconds)
        expect(shares.length).toBeLessThanOrEqual(Math.ceil(length / 1000 / pieceSeconds) + 1)
        expect(shares.every(({ share, second }) => share > 0 && second % pieceSeconds === 0)).toBe(true)
        expect(shares.reduce((sum, { share }) => sum + count * share, 0)).toBe(count)
      },
    ),
  )
})
