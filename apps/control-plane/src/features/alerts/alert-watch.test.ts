import type { Alert } from '@weir/api'
import { beforeEach, expect, it } from 'vitest'
import type { WatchedService } from './alert-book.ts'
import { AlertWatch } from './alert-watch.ts'
import type { Range, ServiceFigures } from './figures-feed.ts'
import type { GateBucket, TenantBucket } from './history.ts'
import { MemoryBook, MemoryLease } from './memory-book.testkit.ts'
import type { PublishedService } from './published.ts'
import { COLLAPSE, gate, lasting, RULES } from './scenes.testkit.ts'

const START = 1_796_022_000
const ORDERS: WatchedService = { serviceId: 's1', environment: 'prod', service: 'orders', hash: null, rules: RULES }

/** What was heard, by the first second of a bucket. */
class Heard {
  readonly gates = new Map<number, GateBucket>()
  readonly dependencies = new Map<number, { retries: number; budgetExhausted: number }>()
  readonly byTenant = new Map<number, TenantBucket>()

  play(buckets: readonly (GateBucket | null)[]): void {
    for (const [i, bucket] of buckets.entries()) if (bucket !== null) this.gates.set(START + i * 5, bucket)
  }
  async read({ from, to }: Range): Promise<Map<string, ServiceFigures>> {
    const within = <B>(all: Map<number, B>) => new Map([...all].filter(([second]) => second >= from && second < to))
    return new Map([
      [
        'orders',
        {
          gates: new Map([['checkout', within(this.gates)]]),
          dependencies: new Map([['payments', within(this.dependencies)]]),
        },
      ],
    ])
  }
  async tenants() {
    return new Map([['acme', this.byTenant]])
  }
}

let heard: Heard
let lease: MemoryLease
let book: MemoryBook
let told: string[]
let published: PublishedService

beforeEach(() => {
  heard = new Heard()
  lease = new MemoryLease(START * 1_000)
  book = new MemoryBook(lease)
  book.services = [ORDERS]
  told = []
  published = { gates: new Map(), rates: new Map() }
})

const replica = () =>
  new AlertWatch({
    leader: lease.replica(),
    book,
    feed: heard,
    tell: (_, { rule, state }: Alert) => told.push(`${rule} ${state}`),
    published: { of: async () => published, keep: () => {} },
  })
/** Every second, in the middle of it, each of the replicas has a turn. */
const seconds = async (from: number, to: number, ...replicas: AlertWatch[]) => {
  for (let second = from; second < to; second++) {
    lease.nowMs = (START + second) * 1_000 + 500
    for (const each of replicas) await each.tick().catch(() => {})
  }
}
const only = (rule: string) => book.alerts.map(({ alert }) => alert).filter((alert) => alert.rule === rule)

it('collapse is raised once within 40 s, told live, and resolved once', async () => {
  heard.play(COLLAPSE)
  await seconds(0, 960, replica())
  expect(only('collapse')).toEqual([
    expect.objectContaining({ state: 'resolved', subject: 'checkout', severity: 'page' }),
  ])
  expect(Date.parse(only('collapse')[0]?.raisedAt ?? '') / 1_000 - START).toBeLessThanOrEqual(360 + 40)
  expect(told.filter((state) => state.startsWith('collapse'))).toEqual(['collapse firing', 'collapse resolved'])
})

it('of two replicas one judges; when it dies the other goes on within seconds, raises nothing again and waits for nothing anew', async () => {
  heard.play(COLLAPSE)
  const first = replica()
  const second = replica()
  await seconds(0, 375, first, second)
  expect(book.alerts).toEqual([])
  await seconds(375, 400, second)
  const raisedAt = Date.parse(only('collapse')[0]?.raisedAt ?? '') / 1_000 - START
  expect(raisedAt).toBeLessThanOrEqual(390)
  await seconds(400, 500, second)
  const third = replica()
  await seconds(500, 960, third)
  expect(only('collapse').map(({ state }) => state)).toEqual(['resolved'])
  for (const rule of new Set(book.alerts.map(({ alert }) => alert.rule))) expect(only(rule)).toHaveLength(1)
})

it('a replica that was held up and comes back writes nothing under its old term', async () => {
  heard.play(COLLAPSE)
  const slow = replica()
  await seconds(0, 380, slow)
  const record = book.record.bind(book)
  let late: Promise<unknown> | null = null
  book.record = (token, changes) => {
    if (changes.length === 0 || late !== null) return record(token, changes)
    lease.nowMs += 10_000
    late = replica()
      .tick()
      .then(() => record(token, changes))
    return late as ReturnType<typeof record>
  }
  await seconds(380, 400, slow)
  await expect(late).rejects.toThrow()
  for (const rule of new Set(book.alerts.map(({ alert }) => alert.rule))) expect(only(rule)).toHaveLength(1)
})

it('a book that is away is asked again, and the alert is raised late but once', async () => {
  heard.play(COLLAPSE)
  const watch = replica()
  await seconds(0, 370, watch)
  book.away = true
  await seconds(370, 430, watch)
  expect(book.alerts).toEqual([])
  book.away = false
  await seconds(430, 500, watch)
  expect(only('collapse')).toHaveLength(1)
})

it('what began and ended while nobody judged is not raised afterwards', async () => {
  heard.play([...lasting(300, gate()), ...lasting(100, gate({ offered: 300, goodput: 5 })), ...lasting(300, gate())])
  await seconds(0, 300, replica())
  await seconds(600, 700, replica())
  expect(book.alerts).toEqual([])
})

it('a gate that is no longer heard keeps its alert until the silent are presumed dead', async () => {
  heard.play([...lasting(300, gate()), ...lasting(60, gate({ offered: 300, goodput: 5 }))])
  const watch = replica()
  await seconds(0, 900, watch)
  expect(only('collapse')[0]?.state).toBe('firing')
  await seconds(900, 1_100, watch)
  expect(only('collapse')[0]?.state).toBe('resolved')
})

it('a service that is gone is no longer judged, one that comes later is', async () => {
  book.services = []
  const watch = replica()
  heard.play(COLLAPSE)
  await seconds(0, 420, watch)
  expect(book.alerts).toEqual([])
  book.services = [ORDERS]
  await seconds(420, 430, watch)
  expect(only('collapse')).toHaveLength(1)
})

it('an empty retry budget, agents that are silent, and a refused revision', async () => {
  heard.play(lasting(300, gate()))
  for (let i = 0; i < 60; i++) heard.dependencies.set(START + i * 5, { retries: 5, budgetExhausted: i > 20 ? 50 : 0 })
  book.counts.set('s1', { known: 10, lost: 2, unanswered: 0, refused: 1, off: [] })
  const watch = replica()
  await seconds(0, 300, watch)
  expect(only('retry-budget-exhausted')).toMatchObject([{ subject: 'payments', state: 'firing' }])
  expect(only('agents-stale')).toMatchObject([{ subject: '', value: 0.2, figures: { lost: 2 } }])
  expect(only('revision-refused')).toMatchObject([{ value: 0.1 }])
  book.counts.set('s1', { known: 10, lost: 0, unanswered: 0, refused: 0, off: [] })
  await seconds(300, 350, watch)
  expect(only('agents-stale')).toMatchObject([{ state: 'resolved' }])
})

it('a quota that is refused and not used', async () => {
  heard.play(lasting(400, gate({ offered: 100, goodput: 60, quotaRefused: 40 })))
  for (let i = 0; i < 80; i++) heard.byTenant.set(START + i * 5, { accepted: 100, refused: 200 })
  published = { gates: new Map(), rates: new Map([['checkout', new Map([['acme', 100]])]]) }
  await seconds(0, 300, replica())
  expect(only('quota-unused')).toMatchObject([
    { subject: 'checkout/acme', value: 0.8, figures: { quotaPerSecond: 100 } },
  ])
})

it('books that do not add up name the instances, five of many, and are over when they do', async () => {
  heard.play(lasting(300, gate()))
  const off = Array.from({ length: 7 }, (_, i) => `orders-${i} (checkout)`)
  book.counts.set('s1', { known: 10, lost: 0, unanswered: 0, refused: 0, off })
  const watch = replica()
  await seconds(0, 30, watch)
  expect(only('books-off')).toMatchObject([
    {
      subject: '',
      severity: 'ticket',
      value: 0.7,
      figures: { known: 10, off: 7 },
      summary: `The books of 7 of 10 instances do not add up: ${off.slice(0, 5).join(', ')} and 2 more.`,
    },
  ])
  book.counts.set('s1', { known: 10, lost: 0, unanswered: 0, refused: 0, off: [] })
  await seconds(30, 60, watch)
  expect(only('books-off')).toMatchObject([{ state: 'resolved' }])
})
