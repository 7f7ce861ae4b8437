import { Weir } from '@weir/agent'
import type { Decision } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DecisionStore } from '../features/decisions/decision-store.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { withKey } from '../testing/telemetry.ts'

let weir: TestApp
let key: string
beforeAll(async () => {
  weir = await startTestApp()
  key = await withKey(weir, 'prod', 'orders')
})
afterAll(() => weir.close())

const POLICY = `gates:
  checkout:
    concurrency: 1
    queue: { maxWaitMs: 0 }
tenants:
  default: { concurrency: 1 }
`
const list = async (query: Record<string, string> = {}, environment = 'prod') =>
  weir.call('GET', `/api/v1/environments/${environment}/decisions?${new URLSearchParams(query)}`, { as: 'viewer' })
const items = async (query: Record<string, string> = {}): Promise<Decision[]> => (await list(query)).body.items

test('why work was refused is told with everything that decided it, from a real agent to the operator', async () => {
  const path = '/api/v1/environments/prod/services/orders/policy'
  const etag = (await weir.call('GET', path)).headers.get('etag') ?? ''
  const body = { document: POLICY, format: 'yaml', reason: 'small' }
  const published = await weir.call('POST', `${path}/publish`, { body, headers: { 'if-match': etag } })
  expect(published.status).toBe(200)
  const agent = await Weir.start({
    controlPlane: weir.url.replace('http', 'ws'),
    key,
    instance: 'one',
    snapshotDir: false,
  })
  await expect.poll(() => agent.status().policy?.revision).toBe(published.body.revision)
  const gate = agent.gate('checkout')
  const held = gate.tryAcquire({ tenant: 'acme' })
  gate.tryAcquire({ tenant: 'zeta', criticality: 'sheddable', deadlineMs: 700, route: '/pay' })
  gate.tryAcquire({ tenant: 'acme', cost: 5 })
  gate.tryAcquire({ tenant: 'acme', deadlineMs: 0 })
  if (held.accepted) held.success()
  await agent.close()

  await expect
    .poll(async () => (await items()).map(({ reason }) => reason).sort())
    .toEqual(['expired-on-arrival', 'limit-reached', 'tenant-concurrency'])
  const [full] = await items({ reason: 'limit-reached' })
  expect(full).toMatchObject({
    service: 'orders',
    instance: 'one',
    kind: 'gate',
    name: 'checkout',
    outcome: 'shed',
    rule: 'concurrency',
    signal: 'elsewhere',
    revision: published.body.revision,
    class: 'sheddable',
    tenant: 'zeta',
    route: '/pay',
    inputs: { limit: 1, inFlight: 1, waiting: 0, level: 0, remainingMs: 700, tenantHeld: 0, cost: 1 },
  })
  expect(full?.retryAfterMs).toBeGreaterThan(0)
  const [share] = await items({ reason: 'tenant-concurrency', tenant: 'acme', name: 'checkout', service: 'orders' })
  expect(share).toMatchObject({ rule: 'quota.concurrency', inputs: { tenantHeld: 1, tenantConcurrency: 1, cost: 5 } })
  expect(await items({ reason: 'expired-on-arrival', class: full?.class ?? '' })).toEqual([])
  expect((await list({}, 'test')).body.items ?? []).toEqual([])
})

test('with a key for it tenants leave the process by a hash only, in figures and in decisions', async () => {
  const hashed = await withKey(weir, 'hashed', 'orders')
  const agent = await Weir.start({
    controlPlane: weir.url.replace('http', 'ws'),
    key: hashed,
    snapshotDir: false,
    mode: 'enforce',
    tenantKey: 's'.repeat(32),
  })
  for (let i = 0; i < 3; i++) agent.gate('checkout').tryAcquire({ tenant: 'acme', deadlineMs: 0 })
  await agent.close()
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 5_000).toISOString() }
  const series = async () =>
    (
      await weir.call(
        'GET',
        `/api/v1/environments/hashed/outcomes?${new URLSearchParams({ groupBy: 'tenant', ...range })}`,
      )
    ).body.series
  await expect
    .poll(async () => (await series()).map(({ label }: { label: string }) => label))
    .toEqual([expect.stringMatching(/^t-[0-9a-f]{16}$/)])
  await expect
    .poll(async () => (await list({}, 'hashed')).body.items.map(({ tenant }: Decision) => tenant))
    .toEqual(expect.arrayContaining([(await series())[0].label]))
  expect(JSON.stringify((await list({}, 'hashed')).body)).not.toContain('acme')
  expect((await weir.call('GET', '/api/v1/environments/hashed/outcomes/flaws')).body).toEqual({ items: [] })
})

test('pages hold each decision once, the newest first, and end', async () => {
  const seen: Decision[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await list({ limit: '1', ...(cursor === '' ? {} : { cursor }) })
    seen.push(...body.items)
    cursor = body.next
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(3)
  expect(seen.map(({ at }) => at)).toEqual(
    seen
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  const last = seen.at(-1)
  expect(await items({ to: last?.at ?? '' })).toEqual([])
  expect(await items({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([])
})

test.each([
  ['cursor=abc', 'cursor'],
  ['from=yesterday', 'from'],
  ['kind=service', 'kind'],
  ['limit=1000', 'limit'],
  [`from=${encodeURIComponent(new Date().toISOString())}&to=2020-01-01T00:00:00Z`, 'to'],
])('%s is refused with its path', async (query) => {
  const answer = await weir.call('GET', `/api/v1/environments/prod/decisions?${query}`, { as: 'viewer' })
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid'])
})

test('after a day they are gone', async () => {
  await weir.app.get(DecisionStore).maintain(Date.now() + 27 * 3_600_000)
  expect(await items()).toEqual([])
})
