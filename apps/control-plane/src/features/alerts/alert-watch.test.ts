import type { Alert } from '@weir/api'
import { expect, test } from 'vitest'
import { LiveBroadcast } from '../live/live-port.ts'
import { OutcomeStore, type SheddingSecond } from '../outcomes/outcome-store.ts'
import { AlertBook, type FiringAlert, type WatchedService } from './alert-book.ts'
import { AlertWatch } from './alert-watch.ts'

const NOW = 1_796_022_000
const ORDERS: WatchedService = {
  serviceId: 's1',
  environment: 'prod',
  service: 'orders',
  rule: { share: 0.1, forSeconds: 10 },
}

/** A book in memory that refuses a second firing alert of a service, as the database does. */
class Book extends AlertBook {
  services = [ORDERS]
  alerts: Alert[] = []
  broken = false

  async watched() {
    return this.services
  }
  async firing(): Promise<FiringAlert[]> {
    return this.alerts.filter(({ state }) => state === 'firing').map((alert) => ({ serviceId: 's1', alert }))
  }
  async raise(service: WatchedService, share: number, at: Date): Promise<Alert> {
    if (this.broken) throw new Error('away')
    if (this.alerts.some(({ state }) => state === 'firing')) throw new Error('a second alert')
    const alert: Alert = {
      id: `a${this.alerts.length}`,
      service: service.service,
      rule: 'sustained-shedding',
      state: 'firing',
      share,
      peakShare: share,
      threshold: service.rule.share,
      forSeconds: service.rule.forSeconds,
      raisedAt: at.toISOString(),
      resolvedAt: null,
    }
    this.alerts.push(alert)
    return alert
  }
  async peak(id: string, peakShare: number) {
    return this.change(id, { peakShare })
  }
  async resolve(id: string, at: Date) {
    return this.change(id, { state: 'resolved', resolvedAt: at.toISOString() })
  }
  async list() {
    return { items: this.alerts, more: false }
  }
  private change(id: string, change: Partial<Alert>): Alert | null {
    const index = this.alerts.findIndex((alert) => alert.id === id)
    const found = this.alerts[index]
    if (found === undefined) return null
    const alert = { ...found, ...change }
    this.alerts[index] = alert
    return alert
  }
}

class Seconds extends OutcomeStore {
  heard: SheddingSecond[] = []
  shed(from: number, to: number, share: number): void {
    for (let second = from; second < to; second++)
      this.heard.push({ environment: 'prod', service: 'orders', second, offered: 100, refused: 100 * share })
  }
  async shedding(_environments: readonly string[], from: number, to: number) {
    return this.heard.filter(({ second }) => second >= from && second < to)
  }
  write = () => Promise.reject(new Error('not asked'))
  query = () => Promise.reject(new Error('not asked'))
  maintain = () => Promise.reject(new Error('not asked'))
}

class Told extends LiveBroadcast {
  alerts: string[] = []
  alert(_environment: string, alert: Alert): void {
    this.alerts.push(alert.state)
  }
  tick(): void {}
  published(): void {}
  agents(): void {}
  watched = () => true
}

const setUp = () => {
  const book = new Book()
  const store = new Seconds()
  const live = new Told()
  return { book, store, live, watch: new AlertWatch(book, store, live) }
}
const beats = async (watch: AlertWatch, from: number, to: number) => {
  for (let second = from; second < to; second++) await watch.tick(second * 1000 + 300)
}

test('shedding is raised once, told live, and resolved', async () => {
  const { book, store, live, watch } = setUp()
  store.shed(NOW, NOW + 60, 0.5)
  store.shed(NOW + 60, NOW + 120, 0)
  await beats(watch, NOW, NOW + 125)
  expect(book.alerts).toEqual([
    expect.objectContaining({
      state: 'resolved',
      share: 0.5,
      raisedAt: new Date((NOW + 10) * 1000).toISOString(),
      resolvedAt: new Date((NOW + 73) * 1000).toISOString(),
    }),
  ])
  expect(live.alerts).toEqual(['firing', 'resolved'])
})

test('a restart while it is pending loses nothing, one while it fires raises nothing', async () => {
  const { book, store, live, watch } = setUp()
  store.shed(NOW, NOW + 200, 0.5)
  await beats(watch, NOW, NOW + 9)
  expect(book.alerts).toEqual([])
  const second = new AlertWatch(book, store, live)
  await beats(second, NOW + 10, NOW + 14)
  expect(book.alerts.map(({ raisedAt }) => raisedAt)).toEqual([new Date((NOW + 10) * 1000).toISOString()])
  const third = new AlertWatch(book, store, live)
  await beats(third, NOW + 40, NOW + 190)
  expect(book.alerts.map(({ state }) => state)).toEqual(['firing'])
})

test('a book that is away is asked again, and the alert is raised late but once', async () => {
  const { book, store, watch } = setUp()
  store.shed(NOW, NOW + 60, 0.5)
  book.broken = true
  for (let second = NOW; second < NOW + 20; second++) await watch.tick(second * 1000).catch(() => {})
  book.broken = false
  await beats(watch, NOW + 20, NOW + 40)
  expect(book.alerts).toHaveLength(1)
})

test('the peak is kept', async () => {
  const { book, store, watch } = setUp()
  store.shed(NOW, NOW + 20, 0.3)
  store.shed(NOW + 20, NOW + 40, 0.8)
  store.shed(NOW + 40, NOW + 50, 0.4)
  await beats(watch, NOW, NOW + 50)
  expect(book.alerts[0]).toMatchObject({ state: 'firing', share: 0.3, peakShare: 0.8 })
})

test('a service that is gone is no longer judged', async () => {
  const { book, store, watch } = setUp()
  await beats(watch, NOW, NOW + 3)
  book.services = []
  store.shed(NOW, NOW + 60, 0.5)
  await beats(watch, NOW + 8, NOW + 60)
  expect(book.alerts).toEqual([])
})
