import { expect, test } from 'vitest'
import { KeyRate } from './key-rate.ts'

const bounds = { requests: 10, bytes: 1_000 }

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
  rate.charge('a', 7_000, 0)
  expect(rate.take('a', 0)).toBe(5)
  expect(rate.take('a', 4_900)).toBe(1)
  expect(rate.take('a', 5_000)).toBe(0)
})

test('a key may keep the thread busy for 40 % of the time, whatever it sends, and takes from no other', () => {
  const rate = new KeyRate()
  let taken = 0
  for (let ms = 0; ms < 20_000; ms += 10) {
    if (rate.take('costly', ms) === 0) {
      taken++
      rate.charge('costly', 1, 50)
    }
    expect(rate.take('modest', ms)).toBe(0)
    rate.charge('modest', 1, 1)
  }
  expect((taken * 50) / 20_000).toBeGreaterThan(0.4)
  expect((taken * 50) / 20_000).toBeLessThan(0.45)
  expect(rate.refused).toBe(2_000 - taken)
})
