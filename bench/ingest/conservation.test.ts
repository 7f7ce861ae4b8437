import { expect, test } from 'vitest'
import { Conservation } from '../../apps/control-plane/src/features/outcomes/conservation.ts'
import { readMetrics } from '../../apps/control-plane/src/features/outcomes/read-metrics.ts'
import { decodeMetrics } from '../../apps/control-plane/src/otlp/protobuf.ts'
import { Instance } from './corpus.ts'

const NOW = 1_796_022_010_000
const KEY = { environment: 'bench', services: ['orders'], kind: 'agent' } as const

/** Windows of a real agent's gates under twice the load that they can do, one a second. */
const lived = async (seconds: number) => {
  const instance = new Instance(3)
  const bodies: Uint8Array[] = []
  for (let i = 0; i < seconds; i++) {
    await instance.live()
    bodies.push(instance.metricsJson(NOW + i * 1_000).protobuf())
  }
  return bodies.map((body, i) => readMetrics(decodeMetrics(body), KEY, NOW + i * 1_000).windows)
}

test('the books of a real agent add up, window for window, while its queues fill and drain', async () => {
  const books = new Conservation()
  for (const windows of await lived(5)) books.look(windows, NOW)
  expect(books.take()).toEqual([])
})

test('one unit too many is a flaw of that instance, gate and book, said once with its count; its books are off for half a minute', async () => {
  const books = new Conservation()
  const all = await lived(5)
  for (const at of [1, 2]) all[at]?.[0]?.stretches[0]?.gates.get('search')?.total.sums.splice(0, 1, 1e6 + at)
  for (const [i, windows] of all.entries()) books.look(windows, NOW + i * 1_000)
  const [flaw, ...others] = books.take()
  expect(others).toEqual([])
  const of = { environment: 'bench', service: 'orders' }
  expect(flaw).toMatchObject({ ...of, instance: 'i3', gate: 'search', book: 'arrivals', windows: 2 })
  expect(Number(flaw?.expected) - Number(flaw?.told)).toBeGreaterThan(900_000)
  expect(books.take()).toEqual([])
  expect(books.off(NOW + 30_000)).toMatchObject([of])
  expect(books.off(NOW + 34_000)).toEqual([])
})

test('nothing is said where a window is missing', async () => {
  const books = new Conservation()
  const all = await lived(5)
  for (const i of [0, 1, 3, 4]) books.look(all[i] ?? [], NOW + i * 1_000)
  expect(books.take()).toEqual([])
})
