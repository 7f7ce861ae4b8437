import { LIVE } from '@weir/api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { TestRedis } from '../../../agent/src/defer/redis.testkit.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { postMetrics } from '../testing/telemetry.ts'
import { BASE, TestFleet } from './fleet.testkit.ts'
import { SocketClient } from './socket-client.testkit.ts'

describe('two replicas over one PostgreSQL and one Redis', () => {
  let redis: TestRedis
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let one: TestApp
  let two: TestApp
  let here: TestFleet
  let there: TestFleet
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis.stop())
  beforeEach(async () => {
    database = await freshDatabase()
    const replica = { databaseUrl: database.url, environment: { REDIS_URL: redis.url } }
    one = await startTestApp(replica)
    two = await startTestApp(replica)
    here = await TestFleet.over(one)
    there = here.behind(two)
  })
  afterEach(async () => {
    await Promise.all([one.close(), two.close()])
    await database.drop()
  })

  const watch = async (weir: TestApp, service: string | null): Promise<SocketClient> => {
    const client = await SocketClient.open(`${weir.url}${LIVE.path}`, LIVE.subprotocol, {
      authorization: 'Bearer test-viewer',
    })
    if (typeof client === 'number') throw new Error(`answered ${client}`)
    onTestFinished(() => void client.close())
    client.say({ type: 'watch', environment: 'prod', service })
    return client
  }
  const rows = async (weir: TestApp) =>
    (await weir.call('GET', `${BASE}/agents`)).body.items.map(
      ({ instance, connected }: { instance: string; connected: boolean }) => [instance, connected],
    )

  const isFigure = (message: object) => 'rows' in message && JSON.stringify(message.rows).includes('"offered":')

  it('a publish on one reaches the agents of both, which share evenly and are all in either list', async () => {
    const [a, b] = [await here.agent('a'), await there.agent('b')]
    const revision = await here.publish(7)
    for (const agent of [a, b]) await agent.until((message) => message.revision === revision)
    for (const agent of [a, b]) await agent.until((message) => message.type === 'lease' && message.agents === 2)
    for (const weir of [one, two])
      await expect
        .poll(() => rows(weir))
        .toEqual([
          ['a', true],
          ['b', true],
        ])
  })

  it('a key that is revoked on one closes its sockets on both, and opens none', async () => {
    const b = await there.agent('b')
    await one.call('DELETE', `${BASE}/keys/${here.key.id}`)
    expect((await b.closed).code).toBe(4401)
    await expect.poll(() => there.knock(there.key.secret)).toBe(401)
  })

  it('dashboards of either see publishes, agents and figures that came to the other', async () => {
    const [overview, page] = [await watch(two, null), await watch(two, 'orders')]
    await here.publish(7)
    expect(await overview.until((message) => message.type === 'published')).toMatchObject({ service: 'orders' })
    await here.agent('a')
    const isTold = (message: object) => JSON.stringify(message).includes('"instance":"a"')
    await page.until((message) => message.type === 'agents' && isTold(message))
    const counters = [['weir.gate.offered', 10, { 'weir.gate': 'checkout' }]] as const
    const resource = { 'service.instance.id': 'a', 'weir.boot': 'b' }
    let sequence = 0
    const exported = async () => {
      const endMs = Date.now()
      const window = { resource: { ...resource, 'weir.sequence': sequence++ }, startMs: endMs - 500, endMs, counters }
      return (await postMetrics(one, here.key.secret, metricsJson(window))).status
    }
    await expect
      .poll(async () => [await exported(), overview.messages.some(isFigure)], { interval: 500 })
      .toEqual([200, true])
  })

  it('is told to come again by one that ends, and finds its place with the other', async () => {
    const [first, second] = [await here.agent('a'), await there.agent('b')]
    await second.until((message) => message.type === 'lease' && message.agents === 2)
    await one.app.close()
    await first.until((message) => message.type === 'drain')
    const again = await there.agent('a')
    expect(again.of('lease').at(-1)).toMatchObject({ agents: 2 })
    one = await startTestApp({ databaseUrl: database.url, environment: { REDIS_URL: redis.url } })
  })
})
