import { expect, test } from 'vitest'
import { RefusalBook } from './refusals.ts'

test('the first refusal is written at once, its repeats are counted and told once the minute is over', () => {
  const book = new RefusalBook(0)
  expect(book.note('sign-in 10.0.0.1', 0)).toEqual({ key: 'sign-in 10.0.0.1', repeats: 0, others: 0 })
  for (let i = 1; i <= 500; i++) expect(book.note('sign-in 10.0.0.1', i)).toBeNull()
  expect(book.sweep(59_999)).toEqual([])
  expect(book.sweep(60_000)).toEqual([{ key: 'sign-in 10.0.0.1', repeats: 500, others: 0 }])
  expect(book.size).toBe(0)
})

test('a repeat after the minute tells the count itself', () => {
  const book = new RefusalBook(0)
  book.note('a', 0)
  book.note('a', 1)
  expect(book.note('a', 60_000)).toEqual({ key: 'a', repeats: 1, others: 0 })
})

test('callers without number neither fill the audit nor the memory, and none of them is forgotten in the sum', () => {
  const book = new RefusalBook(0)
  let written = 0
  let told = 0
  for (let i = 0; i < 100_000; i++) {
    const entry = book.note(`caller ${i}`, i / 10)
    if (entry === null) continue
    written++
    told += 1 + entry.repeats + entry.others
  }
  expect(written).toBeLessThanOrEqual(50 + 0.2 * 10)
  expect(book.size).toBeLessThanOrEqual(1_000)
  book.sweep(400_000)
  const last = book.note('the last', 400_000)
  told += 1 + (last?.repeats ?? 0) + (last?.others ?? 0)
  expect(told).toBe(100_001)
})

test('a sweep keeps to the rate and does the rest the next time', () => {
  const book = new RefusalBook(0)
  for (let i = 0; i < 50; i++) book.note(`caller ${i}`, 0)
  for (let i = 0; i < 50; i++) book.note(`caller ${i}`, 1)
  expect(book.note('one more', 1)).toBeNull()
  expect(book.sweep(60_001)).toHaveLength(12)
  expect(book.size).toBe(38)
  expect(book.sweep(400_001)).toHaveLength(38)
  expect(book.size).toBe(0)
})
