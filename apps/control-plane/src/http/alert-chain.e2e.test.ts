import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestRedis } from '../../../agent/src/defer/redis.testkit.ts'
import { type RunningAlertmanager, startAlertmanager } from '../testing/alertmanager.ts'
import { COLLAPSE, CollapsingFleet, judgeOf, KNOWN_PEAK, seedOrders } from '../testing/collapsing-fleet.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { type RunningProcess, startProcess } from '../testing/process.ts'
import { type RunningPrometheus, runPrometheus } from '../testing/prometheus.ts'
import { freePort, httpSink } from '../testing/sinks.ts'

/** Processes start slowly where many tests share a machine. */
vi.setConfig({ testTimeout: 240_000, expect: { poll: { timeout: 90_000, interval: 100 } } })

/** All times of the shipped files are divided by this; at 1 they are as shipped, and the test takes a quarter of an hour. */
const FASTER = Number(process.env.WEIR_TEST_ALERTS_FASTER ?? 20)
/** Figures come as late as they do, on a busy machine too: agents of this test export each second, not each ten. */
const LATENESS = ['offset 15s', 'offset 6s'] as const
/** Figures of so many seconds are there before the first rule is judged. */
const BEFORE_SECONDS = 12

const shipped = (name: string): string =>
  readFileSync(new URL(`../../../../infra/prometheus/${name}`, import.meta.url), 'utf8')
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 }
/** A shipped file with its ranges, offsets, waits and intervals shortened, and with nothing else changed. */
const faster = (text: string): string =>
  text
    .split(LATENESS[0])
    .map((part) =>
      part.replace(
        /(\[|offset |for: |(?:wait|interval): )(\d+)([smh])\b/g,
        (_, before: string, count: string, unit: keyof typeof UNITS) =>
          `${before}${Math.max(1, Math.round((Number(count) * UNITS[unit]) / FASTER))}ms`,
      ),
    )
    .join(FASTER === 1 ? LATENESS[0] : LATENESS[1])

const TOKEN = `weir_t_${'t'.repeat(43)}`
const RULES = ['weir-figures.yaml', 'weir-outcomes.yaml', 'weir-rules.yaml']

let database: Awaited<ReturnType<typeof freshDatabase>>
let redis: TestRedis
let client: pg.Client
let hook: Awaited<ReturnType<typeof httpSink>>
let alertmanager: RunningAlertmanager
let prometheus: RunningPrometheus
let ports: number[]

beforeAll(async () => {
  database = await freshDatabase()
  redis = await TestRedis.start()
  hook = await httpSink()
  const [alertsPort, ...planePorts] = [await freePort(), await freePort(), await freePort()]
  ports = planePorts
  const receivers = faster(shipped('alertmanager.yaml')).replaceAll(/https:\/\/([\w-]+)\.example/g, `${hook.url}/$1`)
  alertmanager = await startAlertmanager(alertsPort, receivers)
  const configuration = faster(shipped('prometheus.yml'))
    .replace('/etc/prometheus/weir-token', 'weir-token')
    .replace('alertmanager:9093', `127.0.0.1:${alertsPort}`)
    .replace('control-plane:7400', ports.map((port) => `127.0.0.1:${port}`).join(','))
  const rules = Object.fromEntries(RULES.map((name) => [name, faster(shipped(name))]))
  prometheus = await runPrometheus(configuration, { ...rules, 'weir-token': TOKEN })
})
afterAll(async () => {
  await client.end()
  await prometheus.end()
  await alertmanager.end('SIGKILL')
  await hook.close()
  await redis.stop()
  await database.drop()
})

const controlPlane = (port: number) =>
  startProcess(
    {
      PORT: String(port),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OUTCOMES: `prometheus:${prometheus.url}`,
      WEIR_SELF: 'off',
    },
    tmpdir(),
  )

interface Told {
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  readonly startsAt: string
}
/** Every alert in every message to a receiver of `alertmanager.yaml`. */
const heardBy = (receiver: string): Told[] =>
  hook.heard
    .filter(({ path }) => path.startsWith(`/${receiver}/`))
    .flatMap(({ body }) => (JSON.parse(body) as { readonly alerts: readonly Told[] }).alerts)
const told = (receiver: string): string[] =>
  heardBy(receiver).map(({ status, labels }) => `${labels.alertname} ${status}`)
/** How often an alert began: a message of a group says again what it said before. */
const beginnings = (receiver: string, alert: string): number =>
  new Set(heardBy(receiver).flatMap(({ labels, startsAt }) => (labels.alertname === alert ? [startsAt] : []))).size

/** What Prometheus says of an expression now, by one label. */
const asked = async (expression: string, label: string): Promise<Record<string, number>> => {
  const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(expression)}`)
  const { data } = (await answer.json()) as {
    data: { result: { metric: Record<string, string>; value: [number, string] }[] }
  }
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]))
}

test('Prometheus and Alertmanager wake nobody at a known peak, and say once that goodput collapsed and once that it is back, though the replica that judges dies', async () => {
  const planes: RunningProcess[] = await Promise.all(ports.map(controlPlane))
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await seedOrders(client)
  await client.query(
    `INSERT INTO api_token (name, role, prefix, hash, created_by) VALUES ('prometheus', 'viewer', 'weir_t_', $1, 't')`,
    [createHash('sha256').update(TOKEN).digest('hex')],
  )
  const fleet = new CollapsingFleet(
    planes.map(({ url }) => url),
    BEFORE_SECONDS,
  )
  try {
    await expect.poll(() => told('tickets')).toEqual(['WeirSustainedShedding firing'])
    await expect.poll(() => told('dead-man')).toContain('WeirWatchdog firing')
    expect(await asked('up{job="weir"}', 'instance')).toEqual(
      Object.fromEntries(ports.map((port) => [`127.0.0.1:${port}`, 1])),
    )
    expect(await asked('weir:gate_goodput:rate1m > bool 0.9 * weir:gate_expected:rate1m', 'job')).toEqual({ orders: 1 })
    expect(told('pager')).toEqual([])

    // High classes hold, so one alert pages.
    fleet.figures = { ...COLLAPSE, highShed: 0 }
    const judging = await judgeOf(client, planes)
    await judging.end('SIGKILL')
    await expect.poll(() => told('pager')).toEqual(['WeirCollapse firing'])
    await expect.poll(() => asked('up{job="weir"} == 0', 'instance')).toEqual({ [new URL(judging.url).host]: 0 })

    fleet.figures = KNOWN_PEAK
    await expect.poll(() => told('pager').length).toBeGreaterThan(1)
    expect(told('pager')).toEqual(['WeirCollapse firing', 'WeirCollapse resolved'])
    expect(beginnings('tickets', 'WeirSustainedShedding')).toBe(1)
  } finally {
    await fleet.end()
    for (const plane of planes) await plane.end('SIGKILL').catch(() => {})
  }
})
