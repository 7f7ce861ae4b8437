import { tmpdir } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestRedis } from '../../../agent/src/defer/redis.testkit.ts'
import { startAlertmanager, toldAtOnce } from '../testing/alertmanager.ts'
import { COLLAPSE, CollapsingFleet, judgeOf, KNOWN_PEAK, seedOrders } from '../testing/collapsing-fleet.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { type RunningProcess, startProcess } from '../testing/process.ts'
import { freePort, httpSink } from '../testing/sinks.ts'

/** Processes start slowly where many tests share a machine. */
vi.setConfig({ testTimeout: 240_000, expect: { poll: { timeout: 90_000, interval: 250 } } })

/** Shorter than the built-in ones, for the test's sake. */
const RULES = process.env.WEIR_TEST_BUILT_IN_RULES
  ? {}
  : {
      rules: {
        collapse: { forSeconds: 10, windowSeconds: 5 },
        'sustained-shedding': { forSeconds: 5, windowSeconds: 5 },
      },
    }
/** What `docs/alerting.md` promises for the built-in rule, and for a replica that dies meanwhile. */
const PROMISED_MS = 40_000 + 6_000

let databaseUrl: string
let drop: () => Promise<void>
let redis: TestRedis
let client: pg.Client

beforeAll(async () => {
  const fresh = await freshDatabase()
  databaseUrl = fresh.url
  drop = fresh.drop
  redis = await TestRedis.start()
  client = new pg.Client({ connectionString: databaseUrl })
})
afterAll(async () => {
  await client.end()
  await redis.stop()
  await drop()
})

const controlPlane = () =>
  startProcess(
    { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, WEIR_PRIVATE_TARGETS: '127.0.0.1', WEIR_SELF: 'off' },
    tmpdir(),
  )

const prepare = async (alertmanager: string) => {
  await client.connect()
  await seedOrders(client)
  await client.query(
    `WITH e AS (SELECT id FROM environment WHERE name = 'prod'),
       r AS (INSERT INTO alert_receiver (environment_id, name, kind, url, watchdog, created_by) SELECT id, 'am', 'alertmanager', $1, true, 't' FROM e)
     INSERT INTO alert_rules (environment_id, version, document, author, reason) SELECT id, 1, $2, 't', 't' FROM e`,
    [alertmanager, JSON.stringify(RULES)],
  )
}

test('nobody is woken at a known peak; a collapse is told once through the death of the replica that judges, and once that it is over', async () => {
  const [hook, port] = [await httpSink(), await freePort()]
  const alertmanager = await startAlertmanager(port, toldAtOnce(hook.url))
  const planes: RunningProcess[] = [await controlPlane(), await controlPlane()]
  await prepare(`http://127.0.0.1:${port}`)
  const fleet = new CollapsingFleet(planes.map(({ url }) => url))
  try {
    const told = () =>
      hook.heard
        .map(({ body }) => JSON.parse(body) as { status: string; commonLabels: Record<string, string> })
        .filter(({ commonLabels }) => commonLabels.severity === 'page')
        .map(({ status, commonLabels }) => `${commonLabels.alertname} ${status}`)
    // A ticket says that it was judged, and is under control; nothing else is told.
    await expect.poll(() => alertmanager.firing()).toEqual(['WeirSustainedShedding', 'WeirWatchdog'])
    expect((await client.query('SELECT rule, severity FROM alert')).rows).toEqual([
      { rule: 'sustained-shedding', severity: 'ticket' },
    ])
    expect(told()).toEqual([])

    fleet.figures = COLLAPSE
    const beganAt = Date.now()
    // The alert is pending when its judge dies: so much of the collapse is in the roll-ups.
    await expect.poll(newestSecond).toBeGreaterThanOrEqual(beganAt / 1_000 + 7)
    const judging = await judgeOf(client, planes)
    await judging.end('SIGKILL')
    await expect.poll(told).toContain('WeirCollapse firing')
    const tookMs = Date.now() - beganAt
    expect(tookMs).toBeLessThan(PROMISED_MS)
    if (process.env.WEIR_TEST_BUILT_IN_RULES) process.stdout.write(`collapse told after ${tookMs} ms\n`)

    planes.push(await controlPlane())
    fleet.urls = planes.map(({ url }) => url)
    fleet.figures = KNOWN_PEAK
    await expect.poll(told).toContain('WeirCollapse resolved')
    for (const state of ['firing', 'resolved'])
      expect(told().filter((each) => each === `WeirCollapse ${state}`)).toHaveLength(1)
    const { rows } = await client.query(`SELECT state FROM alert WHERE rule = 'collapse'`)
    expect(rows).toEqual([{ state: 'resolved' }])
  } finally {
    await fleet.end()
    for (const plane of planes) await plane.end('SIGKILL').catch(() => {})
    await alertmanager.end('SIGKILL')
    await hook.close()
  }
})

/** The newest second whose figures were taken. */
const newestSecond = async (): Promise<number> => {
  const { rows } = await client.query<{ second: string | null }>(
    'SELECT max(second) AS second FROM outcome WHERE step = 1',
  )
  return Number(rows[0]?.second)
}
