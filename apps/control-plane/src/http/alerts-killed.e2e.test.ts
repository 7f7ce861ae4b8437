import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { setInterval } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestRedis } from '../../../agent/src/defer/redis.testkit.ts'
import { startAlertmanager } from '../testing/alertmanager.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { metricsJson, type SampleWindow } from '../testing/otlp-sample.ts'
import { buildControlPlane, type RunningProcess, startProcess } from '../testing/process.ts'
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

/** Per second of one gate with a limit of its own: what is offered, done and refused. */
const KNOWN_PEAK = { offered: 450, completed: 150, shed: 300, highShed: 0 }
const COLLAPSE = { offered: 450, completed: 10, shed: 250, highShed: 40 }

let databaseUrl: string
let drop: () => Promise<void>
let redis: TestRedis
let client: pg.Client
const key = `weir_${'k'.repeat(43)}`

beforeAll(async () => {
  await buildControlPlane()
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
  const hash = createHash('sha256').update(key).digest('hex')
  await client.query(
    `WITH e AS (INSERT INTO environment (name) VALUES ('prod') RETURNING id),
       s AS (INSERT INTO service (environment_id, name) SELECT id, 'orders' FROM e),
       r AS (INSERT INTO alert_receiver (environment_id, name, kind, url, watchdog, created_by) SELECT id, 'am', 'alertmanager', $2, true, 't' FROM e),
       a AS (INSERT INTO alert_rules (environment_id, version, document, author, reason) SELECT id, 1, $3, 't', 't' FROM e)
     INSERT INTO agent_key (environment_id, kind, name, services, prefix, hash, created_by) SELECT id, 'agent', 't', '{orders}', 'weir_', $1, 't' FROM e`,
    [hash, alertmanager, JSON.stringify(RULES)],
  )
}

const windowAt = (
  second: number,
  sequence: number,
  { offered, completed, shed, highShed }: typeof KNOWN_PEAK,
): SampleWindow => {
  const of = (name: string) => ({ 'weir.gate': 'checkout', 'weir.class': name })
  const reason = { 'weir.reason': 'limit-reached' }
  return {
    resource: { 'service.instance.id': 'i', 'weir.boot': 'b', 'weir.sequence': sequence },
    startMs: second * 1_000,
    endMs: (second + 1) * 1_000,
    counters: [
      ['weir.gate.offered', offered * 0.2, of('critical')],
      ['weir.gate.offered', offered * 0.8, of('sheddable')],
      ['weir.gate.completed', completed, of('sheddable')],
      ['weir.gate.shed', shed, { ...of('sheddable'), ...reason }],
      ['weir.gate.shed', highShed, { ...of('critical'), ...reason }],
    ],
    gauges: [['weir.gate.limit', 20, { 'weir.gate': 'checkout' }]],
  }
}

/** Ten times a second: the load's own pace. */
const PACE_MS = 100

/** Sends each second's figures when it is over, to whichever control plane lives, at its pace until one has taken it. */
class Fleet {
  figures = KNOWN_PEAK
  urls: string[] = []
  #second = Math.floor(Date.now() / 1_000)
  #sequence = 0
  #ended = false
  readonly #run: Promise<void>

  constructor(urls: string[]) {
    this.urls = urls
    this.#run = this.#send()
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#run
  }

  async #send(): Promise<void> {
    for await (const _ of setInterval(PACE_MS)) {
      if (this.#ended) return
      const behind = Math.floor(Date.now() / 1_000) - this.#second
      if (behind <= 0) continue
      const windows = Array.from({ length: Math.min(behind, 60) }, (_, i) =>
        windowAt(this.#second + i, this.#sequence + i, this.figures),
      )
      if (!(await this.#post(metricsJson(...windows)))) continue
      this.#second += windows.length
      this.#sequence += windows.length
    }
  }

  async #post(body: object): Promise<boolean> {
    for (const url of this.urls) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/metrics`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
        () => null,
      )
      if (answer?.ok) return true
    }
    return false
  }
}

test('nobody is woken at a known peak; a collapse is told once through the death of the replica that judges, and once that it is over', async () => {
  const [hook, port] = [await httpSink(), await freePort()]
  const alertmanager = await startAlertmanager(port, hook.url)
  const planes: RunningProcess[] = [await controlPlane(), await controlPlane()]
  await prepare(`http://127.0.0.1:${port}`)
  const fleet = new Fleet(planes.map(({ url }) => url))
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
    const judging = await judge(planes)
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

/** The one that holds the row now, by the process that it names. */
const judge = async (planes: readonly RunningProcess[]): Promise<RunningProcess> => {
  const { rows } = await client.query<{ holder: string }>('SELECT holder FROM alert_leader')
  const found = planes.find(({ pid }) => rows[0]?.holder.endsWith(`-${pid}`))
  if (found === undefined) throw new Error(`nobody judges: ${rows[0]?.holder}`)
  return found
}
