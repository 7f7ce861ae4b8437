import { expect, test } from 'vitest'
import { OTHER, Seats } from './seats.ts'

test('the first labels get the seats, later ones share other', () => {
  const seats = new Seats(2)
  expect(['a', 'b', 'c', 'a'].map((label) => seats.seat(label, 1, 0))).toEqual(['a', 'b', OTHER, 'a'])
})

test('after a minute the heaviest have the seats, and a newcomer with weight gets one', () => {
  const seats = new Seats(2)
  seats.seat('a', 10, 0)
  seats.seat('b', 1, 0)
  for (let i = 0; i < 50; i++) seats.seat('heavy', 5, 1_000)
  expect(seats.seat('heavy', 5, 59_999)).toBe(OTHER)
  expect(seats.seat('heavy', 5, 60_000)).toBe('heavy')
  expect(seats.seat('b', 1, 60_001)).toBe(OTHER)
  expect(seats.seat('a', 1, 60_001)).toBe('a')
})

test('a hundred thousand labels leave a bounded set, and the idle lose their seats', () => {
  const seats = new Seats(50)
  const seen = new Set<string>()
  for (let i = 0; i < 100_000; i++) seen.add(seats.seat(`t${i}`, 1, 0))
  expect(seen.size).toBe(51)
  for (let minute = 1; minute < 10; minute++) seats.seat('x', 1, minute * 60_000)
  expect(seats.seat('t0', 1, 600_001)).toBe('t0')
})
