import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { seededRandom } from '@weir/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUCKETS } from '../../features/outcomes/histogram.ts'
import type { OutcomeQuery, OutcomeSlice, OutcomeStore } from '../../features/outcomes/outcome-store.ts'
import { rollUp } from '../../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../features/outcomes/seats.ts'
import { cellOf, type Window, windowId } from '../../features/outcomes/window.ts'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { type RunningPrometheus, startPrometheus } from '../../testing/prometheus.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { Database } from '../prisma/database.ts'
import { OutcomeOutbox } from '../prisma/outcome-outbox.ts'
import { PrismaOutcomeStore } from '../prisma/outcomes.ts'
import { PrismaVerdictSource } from '../prisma/verdict-source.ts'
import { MetricsEngine } from './metrics-engine.ts'
import { PrometheusOutcomeStore } from './outcomes.ts'
import { PrometheusVerdictSource } from './verdict-source.ts'

const path = (relative: string) => fileURLToPath(new URL(`../../../../../${relative}`, import.meta.url))
const TO = Math.floor(Date.now() / 300_000) * 300
const FROM = TO - 600

const closers: (() => Promise<unknown>)[] = []
const databaseOf = async (): Promise<Database> => {
  const fresh = await freshDatabase()
  await migrate(fresh.url, await readMigrations(path('prisma/migrations')))
  const database = await Database.open(fresh.url, () => {})
  closers.unshift(
    () => database.close(),
    () => fresh.drop(),
  )
  return database
}

let engine: RunningPrometheus
let rows: PrismaOutcomeStore
let samples: PrometheusOutcomeStore
let verdicts: readonly [PrismaVerdictSource, PrometheusVerdictSource]
beforeAll(async () => {
  engine = await startPrometheus(await readFile(path('infra/prometheus/prometheus.yml'), 'utf8'))
  closers.push(() => engine.end())
  const [one, other] = [await databaseOf(), await databaseOf()]
  const client = new MetricsEngine({ readUrl: engine.url, writeUrl: `${engine.url}/api/v1/write`, authorization: null })
  rows = new PrismaOutcomeStore(one)
  samples = new PrometheusOutcomeStore(client, new OutcomeOutbox(other.pool), 'replica', () => {})
  verdicts = [new PrismaVerdictSource(one), new PrometheusVerdictSource(client)]
  const windows = trafficOf(7)
  for (const store of [rows, samples]) {
    const seats = new ServiceSeats()
    for (let i = 0; i < windows.length; i += 40) await writeTo(store, windows.slice(i, i + 40), seats)
  }
}, 60_000)
afterAll(async () => {
  for (const close of closers) await close()
})

const writeTo = (store: OutcomeStore, windows: readonly Window[], seats: ServiceSeats) =>
  store.write(windows, (fresh) => rollUp(fresh, seats, TO * 1000), TO * 1000)

/** Windows of two services over ten minutes, in no order. */
const trafficOf = (seed: number): Window[] => {
  const random = seededRandom(seed)
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  return Array.from({ length: 400 }, (_, i) => {
    const service = one(['orders', 'bank'])
    const window: Window = {
      id: windowId([seed, i]),
      environment: 'prod',
      service,
      instance: `i${Math.floor(random() * 5)}`,
      numbered: null,
      stretches: [],
    }
    const startMs = FROM * 1000 + Math.floor(random() * 590_000)
    const time = { startMs, endMs: startMs + one([1_000, 3_500, 10_000]) }
    const tenant = `t${Math.floor(random() * 8)}`
    const labels = {
      class: one(['critical', 'sheddable']),
      tenant,
      reason: one([null, 'limit-reached']),
      revision: '3',
    }
    const gate = cellOf(window, time, 'gate', one(['checkout', 'search.v2']), labels)
    if (service === 'orders') gate.markEdge()
    for (const column of [
      'offered',
      'accepted',
      'shed',
      'expired',
      'completed',
      'ignored',
      'late',
      'abandoned',
    ] as const)
      gate.add(column, Math.floor(random() * 20))
    gate.add('gauge_seconds', 1)
    gate.peak('oldest_age_ms', Math.floor(random() * 500))
    gate.count(
      'wait_counts',
      Array.from({ length: BUCKETS }, () => Math.floor(random() * 3)),
    )
    const none = { class: null, tenant: null, reason: null, revision: null }
    const calls = cellOf(window, time, 'dependency', one(['bank', 'mail']), none)
    for (const column of ['calls', 'failed', 'shed', 'breakers_open_integral', 'duration_sum'] as const)
      calls.add(column, Math.floor(random() * 9))
    calls.count(
      'duration_counts',
      Array.from({ length: BUCKETS }, () => Math.floor(random() * 3)),
    )
    return window
  })
}

/** Sums of doubles in another order differ in their last digits. */
const tidy = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'number' ? Math.round(each * 1e6) / 1e6 : each)))
const tidySlice = ({ rows, heard, total }: OutcomeSlice): unknown =>
  tidy({
    rows: rows.toSorted((a, b) => a.second - b.second || (a.label < b.label ? -1 : 1)),
    heard: heard.toSorted((a, b) => a - b),
    total,
  })

const ASKED: readonly (readonly [string, Partial<OutcomeQuery>])[] = [
  ['a service by second', { service: 'orders', step: 1, bucket: 1 }],
  ['all services', { labelBy: 'service' }],
  ['all gates', { labelBy: 'name' }],
  ['all gates but the heaviest two together', { labelBy: 'name', maxSeries: 3 }],
  ['gates of one service', { service: 'orders', labelBy: 'name' }],
  ['classes', { cut: 'class', labelBy: 'label' }],
  ['the heaviest tenants', { cut: 'tenant', labelBy: 'label', maxSeries: 4 }],
  ['reasons of a gate', { service: 'orders', name: 'search.v2', cut: 'reason', labelBy: 'label' }],
  ['instances', { service: 'bank', cut: 'instance', labelBy: 'label', step: 60, bucket: 60 }],
  ['edges', { edge: true, bucket: 30 }],
  ['dependencies', { kind: 'dependency', labelBy: 'name', bucket: 300, step: 60 }],
  ['a part of the time', { service: 'orders', from: FROM + 100, to: FROM + 200 }],
  ['nothing', { service: 'nobody' }],
]

test.each(ASKED)('both stores answer the same about %s', async (_, more) => {
  const query: OutcomeQuery = {
    environment: 'prod',
    kind: 'gate',
    service: null,
    name: null,
    edge: null,
    cut: 'total',
    labelBy: 'nothing',
    from: FROM,
    to: TO,
    step: 10,
    bucket: 10,
    maxSeries: 50,
    ...more,
  }
  const [a, b] = await Promise.all([rows.query(query), samples.query(query)])
  expect(a.rows.length > 0).toBe(query.service !== 'nobody')
  expect(tidySlice(b)).toEqual(tidySlice(a))
})

test('both know the same of what was shed, and of what verdicts are made of', async () => {
  const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(tidy(each))).sort()
  const shed = await Promise.all([rows, samples].map((store) => store.shedding(['prod', 'test'], FROM, TO)))
  const keyed = shed.map((list) => sorted(list.map((s) => [s.environment, s.service, s.second, s.offered, s.refused])))
  expect(keyed[0]?.length).toBeGreaterThan(100)
  expect(keyed[1]).toEqual(keyed[0])
  const stretch = { from: FROM, to: TO }
  for (const bucket of [10, 300]) {
    const [a, b] = await Promise.all(
      verdicts.map(async (source) => [...(await source.moments('prod', stretch, bucket))]),
    )
    const byService = (list: typeof a) => tidy(new Map(list) && list?.toSorted(([x], [y]) => (x < y ? -1 : 1)))
    expect(a).toHaveLength(2)
    expect(byService(b)).toEqual(byService(a))
  }
  const [cuts, otherCuts] = await Promise.all(verdicts.map((source) => source.cuts('prod', stretch)))
  const cutsOf = (list: typeof cuts) =>
    sorted((list ?? []).map((c) => [c.service, c.cut, c.label, c.offered, c.refused]))
  expect(cutsOf(cuts).length).toBeGreaterThan(10)
  expect(cutsOf(otherCuts)).toEqual(cutsOf(cuts))
  const [calls, otherCalls] = await Promise.all(verdicts.map((source) => source.dependencies('prod', stretch)))
  const callsOf = (list: typeof calls) =>
    sorted((list ?? []).map((c) => [c.service, c.name, c.calls, c.failed, c.refused, c.breakersOpen, c.meanMs]))
  expect(calls).toHaveLength(4)
  expect(callsOf(otherCalls)).toEqual(callsOf(calls))
})
