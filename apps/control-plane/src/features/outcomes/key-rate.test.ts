import { expect, test } from 'vitest'
import { KeyRate } from './key-rate.ts'

const bounds = { requestsPerSecond: 10, bytesPerSecond: 1_000, burstSeconds: 2 }

test('requests past the burst wait, and each key has its own', () => {
  const rate = new KeyRate(bounds)
  expect(Array.from({ length: 21 }, () => rate.take('a', 0))).toEqual([...new Array<number>(20).fill(0), 1])
  expect(rate.take('b', 0)).toBe(0)
  expect(rate.take('a', 100)).toBe(0)
  expect(rate.take('a', 100)).toBe(1)
})

test('bytes are owed: one large body goes through, the next request waits until it is paid', () => {
  const rate = new KeyRate(bounds)
  expect(rate.take('a', 0)).toBe(0)
  rate.charge('a', 7_000)
  expect(rate.take('a', 0)).toBe(5)
  expect(rate.take('a', 4_900)).toBe(1)
  expect(rate.take('a', 5_000)).toBe(0)
})
