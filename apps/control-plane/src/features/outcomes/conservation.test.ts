import { expect, test } from 'vitest'
import { Conservation } from './conservation.ts'
import { cellOf, type Window, windowId } from './window.ts'

const NOW = 1_796_022_010_000
const NO_LABELS = { class: null, tenant: null, reason: null, revision: null }

/** A window in which one more piece of work came than is told to be anywhere. */
const lossy = (instance: string, sequence: number, gates: number): Window => {
  const window: Window = {
    id: windowId([instance, sequence]),
    environment: 'prod',
    service: 'orders',
    instance,
    numbered: { boot: 'b', sequence },
    stretches: [],
  }
  const endMs = NOW + sequence * 1_000
  for (let i = 0; i < gates; i++) {
    const cell = cellOf(window, { startMs: endMs - 1_000, endMs }, 'gate', `g${i}`, NO_LABELS)
    cell.add('offered', 1)
    cell.add('gauge_seconds', 1)
  }
  return window
}
const blamed = (books: Conservation) => books.take().map(({ instance }) => instance)

test('past the bound the longest unheard instances are forgotten, and a flaw of theirs is not told', () => {
  const books = new Conservation()
  const look = (instance: string, sequence: number, gates: number) =>
    books.look([lossy(instance, sequence, gates)], NOW)
  for (const instance of ['first', 'last']) for (const sequence of [1, 2]) look(instance, sequence, 1)
  for (let i = 0; i < 250; i++) look(`crowd ${i}`, 1, 400)
  for (const sequence of [3, 4]) look('first', sequence, 1)
  look('last', 1, 1)
  for (const sequence of [2, 3, 4]) look('last', sequence, 1)
  expect(blamed(books)).toEqual(['last'])
})

test('what has more gates than are told apart is not followed', () => {
  const books = new Conservation()
  for (const [instance, gates] of [
    ['absurd', 501],
    ['large', 499],
  ] as const)
    for (const sequence of [1, 2, 3]) books.look([lossy(instance, sequence, gates)], NOW)
  expect(new Set(blamed(books))).toEqual(new Set(['large']))
})
