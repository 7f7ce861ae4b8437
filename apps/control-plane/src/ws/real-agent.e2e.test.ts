import { Weir } from '@weir/agent'
import type { Agent } from '@weir/api'
import { afterEach, expect, test, vi } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { BASE, TestFleet } from './fleet.testkit.ts'
import { HttpOnlyProxy } from './proxy.testkit.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close()
})

/** Asked each five seconds, in real time. */
const POLLS = { timeout: 30_000 }

const start = async (
  fleet: TestFleet,
  instance: string,
  url = fleet.weir.url,
): Promise<{ weir: Weir; errors: string[] }> => {
  const errors: string[] = []
  const weir = await Weir.start({
    service: 'orders',
    controlPlane: url.replace(/^http/, 'ws'),
    key: fleet.key.secret,
    instance,
    snapshotDir: false,
    telemetry: 'off',
    onError: (error, where) => errors.push(`${where}: ${String(error)}`),
  })
  weir.gate('checkout')
  running.push(weir)
  return { weir, errors }
}

/** Asks until the list is as wanted; the test's own time-out ends it. */
const agentsUntil = async (weir: TestApp, wanted: (rows: Agent[]) => boolean): Promise<Agent[]> => {
  for (;;) {
    const rows: Agent[] = (await weir.call('GET', `${BASE}/agents?service=orders`)).body.items
    if (wanted(rows)) return rows
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const all = (count: number, status: Agent['status'], revision: number) => (rows: Agent[]) =>
  rows.length === count &&
  rows.every((row) => row.connected && row.status === status && row.appliedRevision === revision)

test('real agents take a publish, report it, split quotas evenly, survive a restart and say bye', async () => {
  const { url: databaseUrl, drop } = await freshDatabase()
  running.push({ close: drop })
  let weir = await startTestApp({ databaseUrl })
  const fleet = await TestFleet.over(weir)
  const agents = [await start(fleet, 'one'), await start(fleet, 'two')]

  const first = await fleet.publish(10)
  await agentsUntil(weir, all(2, 'applied', first))
  const second = await fleet.publish(7)
  const rows = await agentsUntil(
    weir,
    (list) => all(2, 'applied', second)(list) && list.every((row) => row.gates[0]?.limit === 7),
  )
  expect(rows.map((row) => [row.instance, row.presence, row.source])).toEqual([
    ['one', 'live', 'stream'],
    ['two', 'live', 'stream'],
  ])
  const splits = agents.map((agent) => agent.weir.status().split).sort((a, b) => a.rank - b.rank)
  expect(splits).toEqual([
    { agents: 2, rank: 0 },
    { agents: 2, rank: 1 },
  ])

  const { port } = new URL(weir.url)
  await weir.close()
  weir = await startTestApp({ databaseUrl, environment: { PORT: port } })
  running.push(weir)
  await agentsUntil(weir, all(2, 'applied', second))
  const third = await fleet.behind(weir).publish(5)
  await agentsUntil(weir, all(2, 'applied', third))
  expect(agents.map((agent) => agent.weir.status().split.agents)).toEqual([2, 2])

  await agents[0]?.weir.close()
  const after = await agentsUntil(weir, (list) => list.some((row) => row.presence === 'ended'))
  expect(after.map((row) => [row.instance, row.presence])).toEqual([
    ['one', 'ended'],
    ['two', 'live'],
  ])
})

test('an edit of a large policy reaches real agents as a delta, and one that comes later whole', async () => {
  const weir = await startTestApp()
  running.push(weir)
  const fleet = await TestFleet.over(weir)
  const [agent, watching] = [await start(fleet, 'one'), await fleet.agent('watching')]
  await fleet.publish(10, 100)
  await watching.until(({ type }) => type === 'snapshot')
  const second = await fleet.publish(7, 100)
  const edited = { path: expect.arrayContaining(['gates', 'checkout']), value: 7 }
  expect(await watching.until(({ type }) => type === 'delta')).toMatchObject({ changes: [edited, edited] })
  const later = await start(fleet, 'two')
  for (const { weir: each } of [agent, later])
    await vi.waitFor(() => expect(each.status()).toMatchObject({ policy: { revision: second } }), POLLS)
  await agentsUntil(weir, (rows) => rows.filter(({ status }) => status === 'applied').length === 2)
  expect([...agent.errors, ...later.errors]).toEqual([])
})

test('agents that can only poll share the quotas, also where the policy stays the same', async () => {
  const weir = await startTestApp()
  running.push(weir)
  const fleet = await TestFleet.over(weir)
  await fleet.publish(10)
  const proxy = await HttpOnlyProxy.before(weir.url)
  running.push(proxy)
  const first = await start(fleet, 'one', proxy.url)
  await agentsUntil(weir, (rows) => rows[0]?.source === 'poll')
  await vi.waitFor(() => expect(first.weir.status()).toMatchObject({ source: 'poll', split: { agents: 1 } }), POLLS)
  const second = await start(fleet, 'two', proxy.url)
  const splits = () => [first, second].map((agent) => agent.weir.status().split)
  await vi.waitFor(
    () =>
      expect(splits()).toEqual([
        { agents: 2, rank: 0 },
        { agents: 2, rank: 1 },
      ]),
    POLLS,
  )
  const rows = await agentsUntil(weir, (list) => list.length === 2)
  expect(rows.map((row) => [row.instance, row.presence, row.connected])).toEqual([
    ['one', 'live', false],
    ['two', 'live', false],
  ])
  expect([...first.errors, ...second.errors].filter((error) => !error.startsWith('stream:'))).toEqual([])
})

test('an agent with a wrong key is told, and runs on', async () => {
  const weir = await startTestApp()
  running.push(weir)
  const fleet = await TestFleet.over(weir)
  await weir.call('DELETE', `${BASE}/keys/${fleet.key.id}`)
  const agent = await start(fleet, 'one')
  while (agent.errors.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(agent.errors[0]).toContain('401')
  expect(agent.weir.gate('checkout').tryAcquire({}).accepted).toBe(true)
  expect(agent.weir.status()).toMatchObject({ connected: false, source: 'built-in' })
})
