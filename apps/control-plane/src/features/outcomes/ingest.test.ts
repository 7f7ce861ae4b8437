import { expect, test } from 'vitest'
import { SUM_INDEX } from './columns.ts'
import { Ingest } from './ingest.ts'
import { OutcomeStore } from './outcome-store.ts'
import { Rejections } from './rejections.ts'
import type { Rows } from './roll-up.ts'
import { cellOf, type Window, windowId } from './window.ts'

const NOW = 1_796_022_000_000

/** Keeps identities in memory; holds each write until it is told. */
class HeldStore extends OutcomeStore {
  readonly ids = new Set<string>()
  writes: { windows: number; finish(fault?: Error): Promise<void> }[] = []

  override write(windows: readonly Window[], rollUp: (fresh: readonly Window[]) => Rows): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const finish = async (fault?: Error) => {
        if (fault !== undefined) reject(fault)
        else {
          const fresh = windows.filter(({ id }) => !this.ids.has(id))
          for (const { id } of fresh) this.ids.add(id)
          resolve(rollUp(fresh))
        }
        await settled()
      }
      this.writes.push({ windows: windows.length, finish })
    })
  }
  query = () => Promise.reject(new Error('not asked'))
  shedding = () => Promise.reject(new Error('not asked'))
  maintain = () => Promise.reject(new Error('not asked'))
}

const settled = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

const windowOf = (id: number): Window => {
  const window: Window = {
    id: windowId([id]),
    environment: 'prod',
    service: 'orders',
    instance: 'i',
    numbered: null,
    stretches: [],
  }
  const labels = { class: null, tenant: null, reason: null, revision: null }
  cellOf(window, { startMs: NOW - 1_000, endMs: NOW }, 'gate', 'checkout', labels).add('offered', 1)
  return window
}

const setUp = () => {
  const store = new HeldStore()
  const due: (() => void)[] = []
  let booked = 0
  const written = (rows: Rows) => {
    for (const row of rows.values()) if (row.cut === 'total') booked += row.sums[SUM_INDEX.offered] ?? 0
  }
  const ingest = new Ingest(store, written, { now: () => NOW, after: (_, run) => void due.push(run) })
  const take = (...ids: number[]) => takeSpread(0, ...ids)
  const takeSpread = (spread: number, ...ids: number[]) => {
    const taken = ingest.take({ windows: ids.map(windowOf), rejections: new Rejections(), spread })
    if (taken === false) return { state: 'busy' }
    const outcome = { state: 'waits' }
    taken.then(
      () => (outcome.state = 'durable'),
      () => (outcome.state = 'failed'),
    )
    return outcome
  }
  const elapse = async () => {
    for (const run of due.splice(0)) run()
    await settled()
  }
  return { store, ingest, take, takeSpread, elapse, booked: () => booked }
}

test('requests of a moment share one transaction, and are answered when it is durable', async () => {
  const { store, take, elapse } = setUp()
  const [a, b] = [take(1, 2), take(3)]
  await elapse()
  expect([a.state, b.state, store.writes.map(({ windows }) => windows)]).toEqual(['waits', 'waits', [3]])
  await store.writes[0]?.finish()
  expect([a.state, b.state]).toEqual(['durable', 'durable'])
})

test('what arrives while a transaction runs waits for the next one', async () => {
  const { store, take, elapse, booked } = setUp()
  const a = take(1)
  await elapse()
  const b = take(2)
  await elapse()
  expect(store.writes).toHaveLength(1)
  await store.writes[0]?.finish()
  await elapse()
  await store.writes[1]?.finish()
  expect([a.state, b.state, booked()]).toEqual(['durable', 'durable', 2])
})

test('a failed transaction fails its requests; sent again they count once', async () => {
  const { store, take, elapse, booked, ingest } = setUp()
  const a = take(1)
  await elapse()
  await store.writes[0]?.finish(new Error('away'))
  expect([a.state, booked()]).toEqual(['failed', 0])
  const again = [take(1), take(1)]
  await elapse()
  await store.writes[1]?.finish()
  const late = take(1)
  await elapse()
  await store.writes[2]?.finish()
  expect([...again, late].map(({ state }) => state)).toEqual(['durable', 'durable', 'durable'])
  expect(booked()).toBe(1)
  expect(ingest.counts).toMatchObject({ windows: 1, repeats: 2 })
})

test('what waits is bounded', async () => {
  const { store, take, elapse } = setUp()
  const many = Array.from({ length: 19_999 }, (_, i) => i)
  expect(take(...many).state).toBe('waits')
  expect(take(20_001, 20_002).state).toBe('busy')
  expect(take(20_003).state).toBe('waits')
  await elapse()
  await store.writes[0]?.finish()
  expect(take(20_001, 20_002).state).toBe('waits')
})

test('what waits is bounded by what it is split into, too', async () => {
  const { store, takeSpread, elapse } = setUp()
  expect(takeSpread(250_000, 1).state).toBe('waits')
  expect(takeSpread(60_000, 2).state).toBe('busy')
  expect(takeSpread(50_000, 3).state).toBe('waits')
  await elapse()
  await store.writes[0]?.finish()
  expect(takeSpread(310_000, 2).state).toBe('waits')
})
