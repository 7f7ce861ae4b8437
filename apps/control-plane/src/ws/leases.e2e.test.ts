import { Weir } from '@weir/agent'
import type { LeaseShare } from '@weir/api'
import { afterEach, expect, test, vi } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { BASE, TestFleet } from './fleet.testkit.ts'
import { Load } from './load.testkit.ts'

const running: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close()
})

const REFRESH_MS = 500
const LONG = { timeout: 30_000, interval: 50 }
/** Of the quota, held back for newcomers once nobody joins. */
const HELD_BACK = 0.005

const started = async (databaseUrl?: string, port?: string): Promise<TestApp> => {
  const weir = await startTestApp({
    leaseRefreshMs: REFRESH_MS,
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(port ? { environment: { PORT: port } } : {}),
  })
  running.push(weir)
  return weir
}

const agent = async (fleet: TestFleet, instance: string): Promise<Weir> => {
  const weir = await Weir.start({
    service: 'orders',
    controlPlane: fleet.weir.url.replace(/^http/, 'ws'),
    key: fleet.key.secret,
    instance,
    snapshotDir: false,
    telemetry: 'off',
  })
  weir.gate('checkout')
  running.push(weir)
  return weir
}
const agents = (fleet: TestFleet, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => agent(fleet, `agent ${i}`)))

const leased = (all: readonly Weir[]) => all.map((weir) => weir.status().leases[0]?.usable ?? 0)
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)

/** Some second so much is admitted: a machine that is busy with other things stalls the load itself now and then. */
const uses = (load: Load, least: number) =>
  vi.waitFor(async () => {
    const mark = load.mark()
    await load.passed(1_000)
    expect(load.since(mark).mean).toBeGreaterThanOrEqual(least)
  }, LONG)

const LEASES = `${BASE}/services/orders/leases`

/** Of each agent, as the control plane counts it. */
const safeCapacities = async (weir: TestApp): Promise<number[]> =>
  ((await weir.call('GET', `${LEASES}/rate/checkout/acme/agents`)).body.items ?? []).map(({ safe }: LeaseShare) => safe)

test('one tenant at three times its quota over agents of uneven demand: never more than the quota and its burst, all but what is held back in use', async () => {
  const weir = await started()
  const fleet = await TestFleet.over(weir)
  await fleet.publish(1_000)
  await fleet.quota('checkout', 'acme', { rate: 1_000, burst: 100 })
  const all = await agents(fleet, 6)
  const load = new Load(all, [1_500, 750, 400, 250, 100, 0])
  running.push(load)
  await vi.waitFor(() => expect(sum(leased(all))).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - 1), LONG)
  const full = load.mark()
  await uses(load, 990)
  expect(load.since(full).most).toBeLessThanOrEqual(1_100 + all.length)
  const shown = (await weir.call('GET', LEASES)).body
  expect(shown).toMatchObject({ refreshMs: REFRESH_MS, expiry: 'safe', uncounted: 0 })
  expect(shown.items).toMatchObject([{ resource: 'checkout', tenant: 'acme', kind: 'rate', quota: 1_000, agents: 6 }])
  expect(shown.items[0].granted).toBeGreaterThan(900)
  expect(shown.items[0].used).toBeGreaterThan(0)
  const page = (await weir.call('GET', `${LEASES}/rate/checkout/acme/agents?limit=4`)).body
  expect(page.items.map(({ instance }: LeaseShare) => instance)).toEqual([0, 1, 2, 3].map((i) => `agent ${i}`))
  const rest = (
    await weir.call('GET', `${LEASES}/rate/checkout/acme/agents?limit=4&cursor=${encodeURIComponent(page.next)}`)
  ).body
  expect(rest).toMatchObject({ items: [{ instance: 'agent 4', stage: 'leased' }, {}], next: null })
  expect((await weir.call('GET', `${LEASES}/slots/checkout/acme/agents`)).status).toBe(404)
  expect((await weir.call('GET', `${BASE}/services/none/leases`)).status).toBe(404)
  // Max-min: 100 and 250 whole, the rest in equal parts.
  expect(leased(all)[4]).toBeGreaterThan(95)
  expect(Math.abs((leased(all)[0] ?? 0) - (leased(all)[1] ?? 0))).toBeLessThan(10)

  // The quota falls to a tenth and is whole again, under the load: within two refreshes, and what was used stays used.
  await fleet.quota('checkout', 'acme', { rate: 100, burst: 100 })
  await load.passed(2 * REFRESH_MS)
  const tenth = load.mark()
  await uses(load, 90)
  expect(load.since(tenth).most).toBeLessThanOrEqual(200 + all.length)
  await fleet.quota('checkout', 'acme', { rate: 1_000, burst: 100 })
  const whole = load.mark()
  await load.passed(2 * REFRESH_MS)
  const { total, ms } = load.since(whole)
  expect(total).toBeLessThanOrEqual(ms + 100 + all.length)
  // That the rise has its whole effect within two refreshes, `features/leases/changed-quota.test.ts` shows on virtual time: here a refresh is as long as the machine lets it be.
  await vi.waitFor(() => expect(sum(leased(all))).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - 1), LONG)
  await uses(load, 950)
})

test('slots go to those that want them: a joiner gets some at once, one that says bye gives its back', async () => {
  const weir = await started()
  const fleet = await TestFleet.over(weir)
  await fleet.publish(1_000)
  await fleet.quota('checkout', 'acme', { concurrency: 100 })
  const [one, two] = await agents(fleet, 2)
  await vi.waitFor(() => expect([one, two].map((weir) => weir?.status().leases.length)).toEqual([1, 1]), LONG)
  if (one === undefined || two === undefined) throw new Error('no agents')
  const hold = (weir: Weir, count: number) =>
    Array.from({ length: count }, () => weir.gate('checkout').tryAcquire({ tenant: 'acme' })).flatMap((entry) =>
      entry.accepted ? [entry] : [],
    )
  const held = new Map([one, two].map((weir) => [weir, hold(weir, 0)]))
  const grab = (weir: Weir, most: number) => {
    const has = held.get(weir) ?? []
    has.push(...hold(weir, most - has.length))
    held.set(weir, has)
    return has.length
  }
  const taken = () => sum([...held.values()].map((permits) => permits.length))
  await vi.waitFor(() => expect(grab(one, 80)).toBe(80), LONG)
  await vi.waitFor(() => expect(grab(two, 80)).toBeGreaterThanOrEqual(19), LONG)
  expect(taken()).toBeLessThanOrEqual(100)
  // Work that runs drains: only what ends is given to others.
  for (const permit of held.get(one)?.splice(0, 40) ?? []) permit.success()
  await vi.waitFor(() => expect(grab(two, 80)).toBeGreaterThanOrEqual(48), LONG)
  expect(taken()).toBeLessThanOrEqual(100)
  for (const permit of held.get(one)?.splice(0) ?? []) permit.success()
  await one.close()
  held.delete(one)
  await vi.waitFor(() => expect(grab(two, 95)).toBe(95), LONG)
})

test('a control plane that is killed leaves each agent its lease, then its safe capacity; another one learns, and nothing passes the quota', async () => {
  const { url: databaseUrl, drop } = await freshDatabase()
  running.push({ close: drop })
  const weir = await started(databaseUrl)
  const fleet = await TestFleet.over(weir)
  await fleet.publish(1_000)
  await fleet.quota('checkout', 'acme', { rate: 400, burst: 40 })
  const all = await agents(fleet, 4)
  const load = new Load(all, [500, 300, 100, 0])
  running.push(load)
  await vi.waitFor(() => expect(sum(leased(all))).toBeGreaterThanOrEqual(390), LONG)
  await vi.waitFor(async () => expect(await safeCapacities(weir)).toEqual([100, 100, 100, 100]), LONG)
  const before = load.mark()
  const { port } = new URL(weir.url)
  running.splice(running.indexOf(weir), 1)
  await weir.close()
  await vi.waitFor(() => expect(all.some((one) => one.status().leases[0]?.leased)).toBe(false), LONG)
  // Before others' leases have surely ended nobody uses more than it had; those that had less than their safe capacity wait.
  expect(leased(all).every((rate) => rate <= 100)).toBe(true)
  await vi.waitFor(() => expect(leased(all)).toEqual([100, 100, 100, 100]), LONG)

  const late = await agent(fleet, 'late')
  await vi.waitFor(() => expect(late.status().uncounted).toBe(true), LONG)
  const again = await started(databaseUrl, port)
  await vi.waitFor(() => expect(sum(leased(all))).toBeGreaterThanOrEqual(390), LONG)
  await vi.waitFor(() => expect(late.status()).toMatchObject({ connected: true, uncounted: false }), LONG)
  expect(load.since(before).most).toBeLessThanOrEqual(440 + all.length)
  const rows = (await again.call('GET', `${BASE}/agents?service=orders`)).body.items
  expect(rows).toHaveLength(5)
})
