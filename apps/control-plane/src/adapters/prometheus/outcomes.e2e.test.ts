import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rollUp } from '../../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../features/outcomes/seats.ts'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { NOW_S, OUTCOME_STORE_CONTRACT, outcomesAsked, windowOf } from '../../testing/outcome-store-contract.ts'
import { type RunningPrometheus, startPrometheus } from '../../testing/prometheus.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { Database } from '../prisma/database.ts'
import { OutcomeOutbox } from '../prisma/outcome-outbox.ts'
import { EngineAway, EngineRefused, MetricsEngine } from './metrics-engine.ts'
import { PrometheusOutcomeStore } from './outcomes.ts'

const path = (relative: string) => fileURLToPath(new URL(`../../../../../${relative}`, import.meta.url))

let fresh: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
let engine: RunningPrometheus
beforeAll(async () => {
  fresh = await freshDatabase()
  await migrate(fresh.url, await readMigrations(path('prisma/migrations')))
  database = await Database.open(fresh.url, () => {})
  engine = await startPrometheus(await readFile(path('infra/prometheus/prometheus.yml'), 'utf8'))
})
afterAll(async () => {
  await engine.end()
  await database.close()
  await fresh.drop()
})

let replicas = 0
const lost: unknown[] = []
const engineAt = (url: string) =>
  new MetricsEngine({ readUrl: url, writeUrl: `${url}/api/v1/write`, authorization: null })
const storeAt = (url: string) =>
  new PrometheusOutcomeStore(engineAt(url), new OutcomeOutbox(database.pool), `replica ${replicas++}`, (error) =>
    lost.push(error),
  )
const write = (store: PrometheusOutcomeStore, ...windows: ReturnType<typeof windowOf>[]) =>
  store.write(windows, (taken) => rollUp(taken, new ServiceSeats(), NOW_S * 1000))
const offered = async (store: PrometheusOutcomeStore, service: string) =>
  (await store.query(outcomesAsked(service))).total.offered
const waiting = async () => Number((await database.pool.query('SELECT count(*) AS n FROM outcome_outbox')).rows[0].n)

test.each(OUTCOME_STORE_CONTRACT)('%s', (_, check) => check(storeAt(engine.url)))

test('hundreds of contributions of two replicas to one second are all there, also those out of order', async () => {
  const [a, b] = [storeAt(engine.url), storeAt(engine.url)]
  for (let i = 0; i < 150; i++) {
    const second = i % 10 === 0 ? NOW_S - 605 : NOW_S - 5
    const of = () => windowOf('crowded', second, (cell) => cell.add('offered', 1))
    await Promise.all([write(a, of()), write(b, of())])
  }
  expect((await a.query(outcomesAsked('crowded', { from: NOW_S - 900 }))).total.offered).toBe(300)
})

test('what was written while the engine went away is counted once: nothing is taken until it is back, and nothing is lost', async () => {
  const store = storeAt(engine.url)
  const [before, during, after] = [1, 10, 100].map((n) =>
    windowOf('outage', NOW_S - 5, (cell) => cell.add('offered', n)),
  )
  await write(store, before!)
  await engine.stop('SIGKILL')
  await expect(write(store, during!)).rejects.toThrow(EngineAway)
  await expect(write(store, after!)).rejects.toThrow(EngineAway)
  await expect(offered(store, 'outage')).rejects.toThrow(EngineAway)
  expect(await waiting()).toBe(1)
  await engine.start()
  expect((await write(store, during!, after!)).size).toBe(4)
  expect(await waiting()).toBe(0)
  expect(await offered(store, 'outage')).toBe(111)
})

test('what a replica that died left is told by the next, and twice changes nothing', async () => {
  const dead = storeAt('http://127.0.0.1:1')
  await expect(
    write(
      dead,
      windowOf('left', NOW_S - 5, (cell) => cell.add('offered', 7)),
    ),
  ).rejects.toThrow(EngineAway)
  const { rows } = await database.pool.query('SELECT windows, body FROM outcome_outbox')
  // By a clock of the database that was set back since: the time is rounded to milliseconds, also upwards.
  const again = () =>
    database.pool.query(
      "INSERT INTO outcome_outbox (windows, body, created_at) VALUES ($1, $2, now() + interval '1 s')",
      [rows[0].windows, rows[0].body],
    )
  const next = storeAt(engine.url)
  await write(
    next,
    windowOf('left', NOW_S - 4, (cell) => cell.add('offered', 1)),
  )
  await again()
  await write(
    storeAt(engine.url),
    windowOf('left', NOW_S - 4, (cell) => cell.add('offered', 1)),
  )
  expect(await waiting()).toBe(0)
  expect(await offered(next, 'left')).toBe(9)
})

test('what the engine refuses is refused, and its windows may come again', async () => {
  const store = storeAt(engine.url)
  const ancient = windowOf('ancient', NOW_S - 86_400, (cell) => cell.add('offered', 5))
  for (let time = 0; time < 2; time++) {
    const refusal = await write(store, ancient).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EngineRefused)
    expect((refusal as EngineRefused).said).toMatch(/^\d{3}: /)
  }
  expect(await waiting()).toBe(0)
  expect(lost).toEqual([])
})

test('names with every sign in them are told apart', async () => {
  const store = storeAt(engine.url)
  const name = 'a"b\\c\n.*|(é'
  const window = (tenant: string) =>
    windowOf('signs', NOW_S - 5, (cell) => cell.add('offered', 2), {
      name,
      labels: { class: null, tenant, reason: null, revision: null },
    })
  await write(store, window('x.y'), window('x|y'), window('"\\'))
  const asked = { name, cut: 'tenant', labelBy: 'label' } as const
  const labels = async (maxSeries: number) =>
    (await store.query(outcomesAsked('signs', { ...asked, maxSeries }))).rows.map(({ label }) => label).sort()
  expect(await labels(50)).toEqual(['"\\', 'x.y', 'x|y'])
  expect(await labels(2)).toEqual(['"\\', 'other'])
})

/** A database that may be read and not written, as one that was failed over is for a while. */
class ReadOnlyOutbox extends OutcomeOutbox {
  told = 0
  override done(): Promise<void> {
    this.told++
    return Promise.reject(new Error('read-only'))
  }
}

test('what was told and cannot be crossed off is told again the next time, not over and over', async () => {
  const dead = storeAt('http://127.0.0.1:1')
  const crossed = windowOf('crossed', NOW_S - 5, (cell) => cell.add('offered', 7))
  await expect(write(dead, crossed)).rejects.toThrow(EngineAway)
  const outbox = new ReadOnlyOutbox(database.pool)
  const stuck = new PrometheusOutcomeStore(engineAt(engine.url), outbox, 'stuck', () => {})
  const more = windowOf('crossed', NOW_S - 4, (cell) => cell.add('offered', 1))
  await expect(write(stuck, more)).rejects.toThrow('read-only')
  expect(outbox.told).toBe(1)
  const next = storeAt(engine.url)
  await write(next, more)
  expect(await waiting()).toBe(0)
  expect(await offered(next, 'crossed')).toBe(8)
})
