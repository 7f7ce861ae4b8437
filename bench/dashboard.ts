/** `npm run bench:dashboard`: the dashboard in a real browser, with an hour of figures and more each second: script before the first chart, main thread per update, accessibility. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedKey } from '@weir/api'
import { startEmbeddedPostgres } from '../apps/control-plane/src/adapters/postgres/embedded.ts'
import { writeLargeFleet } from '../apps/control-plane/src/testing/large-fleet.ts'
import { writePastHour } from '../apps/control-plane/src/testing/past-hour.ts'
import { ControlPlane, freePort } from '../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../examples/fleet/src/demo/rest.ts'
import { openBrowser } from '../tools/chromium.ts'
import { scriptBeforeFirstChart, signedIn, violations } from './dashboard/browser.ts'
import { type Cost, costOf } from './dashboard/fleet.ts'
import { Stream } from './dashboard/stream.ts'
import { longestTasks, slowDown } from './dashboard/tasks.ts'
import { median } from './rounds.ts'

const SLOWER = 4
const ROUNDS = 3
const SECONDS = 20
const SETTLE_MS = 6_000
const LEAST_SERIES = 20
const FLEETS = {
  small: { services: 5, agents: 50 },
  large: { services: 500, agents: 10_000 },
} as const
/** Lists whose cost must not grow with the fleet. */
const LISTS = { agents: '/agents', services: '?services=all', service: '/s/svc-001/agents' } as const

const p95 = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN
}

const folder = await mkdtemp(join(tmpdir(), 'weir-dashboard-'))
await chmod(folder, 0o755)
const database = await startEmbeddedPostgres(join(folder, 'postgres'))
const plane = new ControlPlane(await freePort(), folder, database.url)
const browser = await openBrowser()
let stream: Stream | undefined
try {
  await plane.start()
  const rest = new Rest(plane.origin, await plane.weir('token', 'create', '--role', 'admin', '--name', 'bench'))
  await rest.call('POST', '/environments', { body: { name: 'bench' } })
  await rest.call('POST', '/environments/bench/services', { body: { name: 'orders' } })
  const { body } = await rest.call<CreatedKey>('POST', '/environments/bench/keys', {
    body: { name: 'bench', services: ['orders'] },
  })
  await writePastHour(database.url, 'bench', 'orders')
  const link = await plane.weir(
    'operator',
    'sign-in-link',
    '--create',
    '--email',
    'bench@weir.invalid',
    '--name',
    'Bench',
    '--role',
    'admin',
    '--origin',
    plane.origin,
  )
  const page = await signedIn(browser, link)
  const at = `${plane.origin}/e/bench`

  const kilobytes = await scriptBeforeFirstChart(page, at)
  console.log(`Script before the first chart: ${kilobytes.toFixed(1)} kB gzipped`)

  stream = new Stream(plane.origin, body.secret, 'orders')
  stream.start()
  await page.goto(`${at}/s/orders?range=1h`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Dependency payments' }).waitFor()
  const series = await page.locator('figure [data-value]').count()
  if (series < LEAST_SERIES)
    throw new Error(`The page draws ${series} series: that is no measurement of ${LEAST_SERIES}.`)
  await slowDown(page, SLOWER)
  const rounds: { streaming: number; idle: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    stream.start()
    await page.waitForTimeout(SETTLE_MS)
    const streaming = p95(await longestTasks(page, SECONDS))
    stream.stop()
    await page.waitForTimeout(SETTLE_MS)
    const idle = p95(await longestTasks(page, SECONDS))
    rounds.push({ streaming, idle })
    console.log(
      `Longest task of a second, p95: ${streaming.toFixed(1)} ms with ${series} series streaming, ${idle.toFixed(1)} ms idle`,
    )
  }
  await slowDown(page, 1)

  const names = [
    '',
    '/agents',
    '/alerts',
    '/s/orders',
    '/s/orders/gates/checkout',
    '/s/orders/dependencies/payments',
    '/s/orders/policy',
    '/s/orders/history',
    '/s/orders/quotas',
    '/s/orders/agents',
  ]
  const flaws = await violations(page, [...names.map((name) => `${at}${name}`), `${plane.origin}/access/keys`])
  for (const flaw of flaws) console.log(flaw)

  for (const [environment, size] of Object.entries(FLEETS)) {
    await rest.call('POST', '/environments', { body: { name: environment } })
    await writeLargeFleet(database.url, environment, size)
  }
  const scale: Record<string, number> = {}
  for (const [list, path] of Object.entries(LISTS)) {
    const costs: Record<keyof typeof FLEETS, Cost[]> = { small: [], large: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const name of ['small', 'large'] as const)
        costs[name].push(await costOf(page, `${plane.origin}/e/${name}${path}`))
    for (const figure of ['firstRowMs', 'rowsInDocument', 'kilobytes', 'frameMs', 'heapMb'] as const) {
      const [small, large] = [costs.small, costs.large].map((all) => median(all.map((cost) => cost[figure])))
      console.log(
        `${list}, ${figure}: ${large?.toFixed(1)} of 500 services and 10,000 agents, ${small?.toFixed(1)} of 5 and 50`,
      )
      scale[`scale_${list}_${figure}`] = Math.round(((large ?? Number.NaN) / (small ?? Number.NaN)) * 100) / 100
    }
  }

  const figures = {
    U1_gzip_kb: Math.round(kilobytes * 10) / 10,
    U1_frame: Math.round(median(rounds.map(({ streaming, idle }) => streaming / idle)) * 100) / 100,
    U1_axe: flaws.length,
    U1_update_ms: Math.round(median(rounds.map(({ streaming }) => streaming)) * 10) / 10,
    U1_idle_ms: Math.round(median(rounds.map(({ idle }) => idle)) * 10) / 10,
    series,
    ...scale,
  }
  console.log(JSON.stringify({ figures }))
} finally {
  stream?.stop()
  await browser.close()
  await plane.stop()
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}
