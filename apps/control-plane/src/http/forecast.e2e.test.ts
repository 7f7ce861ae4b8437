import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Forecast, forecastSchema, type Traffic, trafficSchema } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../simulator/src/cli/run.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { record } from '../testing/recorded.ts'

const ENVIRONMENT = '/api/v1/environments/prod'
const LIVE = 'gates: { checkout: { concurrency: 40 } }'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
  await weir.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
  for (const name of ['orders', 'idle']) await weir.call('POST', `${ENVIRONMENT}/services`, { body: { name } })
  const published = await weir.call('POST', `${ENVIRONMENT}/services/orders/policy/publish`, {
    body: { document: LIVE, reason: 'first' },
    headers: { 'if-match': '"policy-0"' },
  })
  expect(published).toMatchObject({ status: 200 })
  await record(weir, {
    service: 'orders',
    seconds: 600,
    perSecond: 60,
    ms: 200,
    instances: 2,
    classes: { critical: 0.25, sheddable: 0.75 },
    tenants: { acme: 0.6, zeta: 0.4 },
  })
})
afterAll(() => weir.close())

const ask = (service: string, document: string, as = 'editor') =>
  weir.call('POST', `${ENVIRONMENT}/services/${service}/policy/forecast`, { body: { document, seconds: 900 }, as })

test('the traffic of the last minutes is a document that a simulation takes', async () => {
  const { status, body } = await weir.call('GET', `${ENVIRONMENT}/services/orders/traffic?seconds=900`, {
    as: 'viewer',
  })
  expect(status).toBe(200)
  const traffic: Traffic = trafficSchema.parse(body)
  expect(traffic.instances).toBe(2)
  const gate = traffic.gates.checkout
  const sum = (row: readonly number[] = []) => Math.round(row.reduce((total, n) => total + n, 0))
  expect(sum(gate?.bins?.offered)).toBe(36_000)
  expect(sum(gate?.bins?.classes?.sheddable)).toBe(27_000)
  expect(sum(gate?.bins?.tenants?.acme)).toBe(21_600)
  expect(gate?.service).toMatchObject({ concurrency: null, failed: 0, time: { kind: 'histogram', meanMs: 200 } })
  expect(gate?.measured).toMatchObject({ offered: 36_000, shed: 0, completed: 36_000 })
})

test('a draft that would shed too much is told so, class by class, beside the policy in force', async () => {
  const { status, body } = await ask('orders', 'gates: { checkout: { concurrency: 3, queue: { maxWaitMs: 50 } } }')
  expect(status).toBe(200)
  const forecast: Forecast = forecastSchema.parse(body)
  expect(forecast.state).toBe('predicted')
  // A process is offered 30/s of 200 ms, six slots' worth: three slots do half of it.
  const shed = ({ gates }: NonNullable<Forecast['draft']>) =>
    (gates.checkout?.shed ?? 0) / (gates.checkout?.offered ?? 1)
  expect(shed(forecast.draft!)).toBeGreaterThan(0.4)
  expect(shed(forecast.draft!)).toBeLessThan(0.6)
  expect(shed(forecast.live!)).toBe(0)
  const warnings = forecast.findings.filter(({ tone }) => tone === 'warning').map(({ sentence }) => sentence)
  expect(warnings[0]).toMatch(/^checkout would shed \d\d % of all work, where the live policy sheds none\.$/)
  expect(warnings.join(' ')).toContain('of sheddable')
})

test('a draft that changes nothing says so', async () => {
  const { body } = await ask('orders', `${LIVE} # as before`)
  expect(body.findings).toEqual([
    { gate: 'checkout', tone: 'same', sentence: expect.stringContaining('no noticeable') },
  ])
})

test('what cannot be forecast is said: no traffic, no such service, a document with problems, no right to', async () => {
  expect((await ask('idle', LIVE)).body).toMatchObject({ state: 'no-traffic', draft: null, findings: [] })
  expect(await ask('nowhere', LIVE)).toMatchObject({ status: 404, body: { code: 'not-found' } })
  expect(await ask('orders', 'gates: { checkout: { concurrency: -1 } }')).toMatchObject({
    status: 400,
    body: { code: 'invalid', errors: [{ path: expect.stringContaining('gates.checkout.concurrency') }] },
  })
  expect((await ask('orders', LIVE, 'viewer')).status).toBe(403)
  const far = await weir.call('GET', `${ENVIRONMENT}/services/orders/traffic?seconds=5`)
  expect(far).toMatchObject({ status: 400, body: { errors: [{ path: 'seconds' }] } })
})

test('the command line asks for the same traffic, quotas and live policy, and says what it cannot have', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-forecast-'))
  const policy = join(folder, 'draft.yaml')
  const saved = join(folder, 'traffic.json')
  await writeFile(policy, 'gates: { checkout: { concurrency: 3, queue: { maxWaitMs: 50 } } }')
  const run = async (token: string, ...words: string[]) => {
    const [out, err]: [string[], string[]] = [[], []]
    const environment = { WEIR_URL: weir.url, WEIR_TOKEN: token }
    const at = { environment, print: (text: string) => out.push(text), tell: (text: string) => err.push(text) }
    return { code: await runCommand(['--policy', policy, ...words], at), out: out.join(), err: err.join() }
  }
  const asked = await run('test-viewer', '--service', 'orders', '--last', '15m', '--save', saved)
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('! checkout would shed') })
  expect(trafficSchema.parse(JSON.parse(await readFile(saved, 'utf8'))).instances).toBe(2)
  expect(await run('test-viewer', '--traffic', saved)).toMatchObject({ code: 0 })
  expect(await run('test-viewer', '--service', 'nowhere')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no service nowhere'),
  })
  expect(await run('', '--service', 'orders')).toMatchObject({ code: 1, err: expect.stringContaining('WEIR_TOKEN') })
  expect(await run('test-viewer', '--service', 'idle')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing was offered'),
  })
  await rm(folder, { recursive: true })
})
