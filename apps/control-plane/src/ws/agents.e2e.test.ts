import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { BASE, TestFleet } from './fleet.testkit.ts'
import { helloOf, type SocketClient } from './socket-client.testkit.ts'

let weir: TestApp
let fleet: TestFleet
beforeEach(async () => {
  weir = await startTestApp()
  fleet = await TestFleet.over(weir)
})
afterEach(() => weir.close())

const receipt = (agent: SocketClient, snapshot: { [member: string]: unknown }, status = 'applied') =>
  agent.say({
    type: 'receipt',
    databaseId: snapshot.databaseId,
    revision: snapshot.revision,
    hash: snapshot.hash,
    status,
    refused: status === 'applied' ? [] : [{ path: 'gates.checkout', message: 'Cannot do this.' }],
  })
const snapshotOf = (agent: SocketClient, revision: number) =>
  agent.until((message) => message.type === 'snapshot' && message.revision === revision)
const listed = async () => (await weir.call('GET', `${BASE}/agents?service=orders`, { as: 'viewer' })).body.items

describe('who may come in is decided before there is a socket', () => {
  test('no key, a wrong key: 401; a key for figures: 403; a wrong path: 404; another protocol: 400', async () => {
    const ingest = await TestFleet.newKey(weir, 'ingest')
    expect(await fleet.knock(null)).toBe(401)
    expect(await fleet.knock(`weir_${'x'.repeat(43)}`)).toBe(401)
    expect(await fleet.knock(ingest.secret)).toBe(403)
    expect(await fleet.knock(fleet.key.secret, '/api/v1/agents/socket')).toBe(404)
    expect(await fleet.knock(fleet.key.secret, undefined, 'weir.v9')).toBe(400)
  })

  test('a refused key is in the audit', async () => {
    await fleet.knock(`weir_${'x'.repeat(43)}`)
    expect(await audited('refused.key')).toMatchObject({ actor: 'nobody', detail: { given: true } })
  })

  test('revoking a key closes its sockets at once, and it opens none afterwards', async () => {
    const agent = await fleet.agent('a')
    const answer = await weir.call('DELETE', `${BASE}/keys/${fleet.key.id}`)
    expect(answer.status).toBeLessThan(300)
    expect(await agent.closed).toMatchObject({ code: 4401 })
    expect(await fleet.knock(fleet.key.secret)).toBe(401)
  })
})

describe('a policy', () => {
  test('goes out with the hello, its receipt is shown, and the next publish follows at once', async () => {
    const first = await fleet.publish(10)
    const agent = await fleet.agent('a')
    const snapshot = await snapshotOf(agent, first)
    expect((await listed())[0]).toMatchObject({ instance: 'a', status: 'pending', appliedRevision: null })
    receipt(agent, snapshot)
    const second = await fleet.publish(20)
    receipt(agent, await snapshotOf(agent, second), 'refused')
    const [row] = await listedUntil((rows) => rows[0]?.status === 'refused')
    expect(row).toMatchObject({
      intendedRevision: second,
      appliedRevision: first,
      refused: [{ path: 'gates.checkout', message: 'Cannot do this.' }],
      presence: 'live',
      connected: true,
    })
    const receipts = await weir.call('GET', `${BASE}/services/orders/receipts`, { as: 'viewer' })
    expect(receipts.body.items.map((one: { revision: number; status: string }) => [one.revision, one.status])).toEqual([
      [second, 'refused'],
      [first, 'applied'],
    ])
    const service = await weir.call('GET', `${BASE}/services/orders`)
    expect(service.body.agents).toEqual({ live: 1, applied: 0, refused: 1, pending: 0 })
  })

  test('is pushed once to each of fifty sockets', async () => {
    const agents = await Promise.all(Array.from({ length: 50 }, (_, n) => fleet.agent(`a${n}`)))
    const revision = await fleet.publish(10)
    await Promise.all(agents.map((agent) => snapshotOf(agent, revision)))
    const again = await fleet.publish(11)
    await Promise.all(agents.map((agent) => snapshotOf(agent, again)))
    expect(agents.map((agent) => agent.of('snapshot').length)).toEqual(agents.map(() => 2))
    const ranks = agents.map((agent) => Number(agent.of('lease').at(-1)?.rank)).sort((a, b) => a - b)
    expect(ranks).toEqual(agents.map((_, n) => n))
  })

  test('an agent that runs on it already is sent none', async () => {
    const revision = await fleet.publish(10)
    const { databaseId, hash } = await snapshotOf(await fleet.agent('a'), revision)
    const again = await fleet.agent('b', { applied: { databaseId: String(databaseId), revision, hash: String(hash) } })
    await snapshotOf(again, await fleet.publish(11))
    expect(again.of('snapshot')).toHaveLength(1)
    expect((await listed()).find((row: { instance: string }) => row.instance === 'b')).toMatchObject({
      appliedRevision: revision,
      status: 'pending',
    })
  })
})

describe('a client that misbehaves is closed with a reason, others are unharmed', () => {
  const unharmed = async (other: SocketClient) => {
    await snapshotOf(other, await fleet.publish(10))
    expect(other.socket.readyState).toBe(other.socket.OPEN)
  }

  test.each([
    ['malformed', 4400, (bad: SocketClient) => bad.socket.send('{"type":"hello"')],
    ['binary', 4400, (bad: SocketClient) => bad.socket.send(Buffer.from('{"type":"pong","n":1}'), { binary: true })],
    ['oversized', 1009, (bad: SocketClient) => bad.socket.send('x'.repeat(300_000))],
    [
      'flooding',
      4429,
      (bad: SocketClient) => {
        for (let n = 0; n < 500; n++) bad.say({ type: 'pong', n })
      },
    ],
  ] as const)('%s', async (_, code, act) => {
    const other = await fleet.agent('good')
    const bad = await fleet.agent('bad')
    act(bad)
    expect((await bad.closed).code).toBe(code)
    await unharmed(other)
    expect(await audited('refused.agent-socket')).toMatchObject({ service: 'orders' })
  })

  test.each(['c\u0000', 'c\ud800'])('named %j, which PostgreSQL cannot hold', async (instance) => {
    const bad = await fleet.open()
    bad.say(helloOf(instance))
    expect(await bad.closed).toMatchObject({ code: 4400, reason: expect.stringMatching(/^instance /) })
    await fleet.agent('good')
    expect(await listed()).toMatchObject([{ instance: 'good' }])
  })

  test('a flood of control frames', async () => {
    const other = await fleet.agent('good')
    const bad = await fleet.agent('bad')
    for (let n = 0; n < 500; n++) bad.socket.ping()
    await bad.closed
    await unharmed(other)
  })

  test('the same instance connecting again', async () => {
    const first = await fleet.agent('a')
    const second = await fleet.agent('a')
    expect((await first.closed).code).toBe(4409)
    await unharmed(second)
  })
})

describe('a restart of the control plane', () => {
  test('drains first, and the next one remembers the divisor and who was where', async () => {
    const { url: databaseUrl, drop } = await freshDatabase()
    const first = await startTestApp({ databaseUrl })
    const own = await TestFleet.over(first)
    const agents = [await own.agent('a'), await own.agent('b'), await own.agent('c')]
    agents[2]?.socket.terminate()
    await first.close()
    expect(agents[0]?.of('drain')).toEqual([{ type: 'drain', minMs: 1_000, maxMs: 5_000 }])
    expect((await agents[0]?.closed)?.code).toBe(1001)
    const next = await startTestApp({ databaseUrl })
    const b = await own.behind(next).agent('b')
    expect(b.of('lease')[0]).toEqual({ type: 'lease', allocator: 'even', agents: 3, rank: 1 })
    const rows = (await next.call('GET', `${BASE}/agents`)).body.items
    expect(rows.map((row: { instance: string; connected: boolean }) => [row.instance, row.connected])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ])
    await next.close()
    await drop()
  })
})

describe('polling', () => {
  test('gives the policy, then 304 until it changes, and counts as heard', async () => {
    const before = await fleet.poll({ 'weir-instance': 'poller' })
    expect([before.status, before.headers.get('weir-lease')]).toEqual([204, 'even;agents=1;rank=0'])
    await fleet.publish(10)
    const first = await pollUntil(200)
    const body = (await first.json()) as { [member: string]: unknown }
    expect(Object.keys(body)).toEqual(['databaseId', 'revision', 'hash', 'effective'])
    const etag = first.headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag, 'weir-instance': 'poller' }
    await fleet.agent('by socket')
    const same = await fleet.poll(headers)
    expect([same.status, same.headers.get('weir-lease')]).toEqual([304, 'even;agents=2;rank=0'])
    await expect.poll(async () => (await fleet.poll(headers)).headers.get('weir-scales')).toBe('whole')
    expect((await listed()).find((row: { instance: string }) => row.instance === 'poller')).toMatchObject({
      instance: 'poller',
      source: 'poll',
      presence: 'live',
      connected: false,
    })
    await fleet.publish(11)
    const next = await pollUntil(200, headers)
    expect(next.headers.get('etag')).not.toBe(etag)
    expect((await fleet.poll({}, `weir_${'x'.repeat(43)}`)).status).toBe(401)
  })
})

test('the lists want a viewer, an environment and a service that are there', async () => {
  expect((await weir.call('GET', `${BASE}/agents`, { as: null })).status).toBe(401)
  expect((await weir.call('GET', '/api/v1/environments/none/agents')).status).toBe(404)
  expect((await weir.call('GET', `${BASE}/services/none/receipts`)).status).toBe(404)
  expect((await weir.call('GET', `${BASE}/agents?cursor=nonsense`)).status).toBe(400)
  for (const name of ['a', 'b', 'c']) await fleet.agent(name)
  const first = await weir.call('GET', `${BASE}/agents?limit=2`)
  const rest = await weir.call('GET', `${BASE}/agents?limit=2&cursor=${first.body.next}`)
  expect(rest.body).toMatchObject({ items: [{ instance: 'c' }], next: null })
  const urgent = await weir.call('GET', `${BASE}/agents?order=urgent&state=running&limit=2`)
  const last = await weir.call('GET', `${BASE}/agents?order=urgent&state=running&limit=2&cursor=${urgent.body.next}`)
  expect(last.body).toMatchObject({ items: [{ instance: 'c' }], next: null, counts: { all: 3, running: 3, ended: 0 } })
  expect((await weir.call('GET', `${BASE}/agents?offset=1&limit=1`)).body.items).toMatchObject([{ instance: 'b' }])
  expect((await weir.call('GET', `${BASE}/services/orders/reported`)).body.gates).toEqual([])
  expect((await weir.call('GET', `${BASE}/services/none/reported`)).status).toBe(404)
})

test.each([
  ['state=broken', 'state'],
  ['order=random', 'order'],
  ['offset=-1', 'offset'],
  ['limit=1001', 'limit'],
  [`offset=1&cursor=${Buffer.from('{}').toString('base64url')}`, 'offset'],
])('a list asked for by ?%s is refused with the path of what is wrong', async (query, path) => {
  const { status, body } = await weir.call('GET', `${BASE}/agents?${query}`)
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid', errors: [{ path }] })
})

const audited = async (action: string) => {
  for (;;) {
    const entries = (await weir.call('GET', '/api/v1/audit')).body.items
    const found = entries.find((entry: { action: string }) => entry.action === action)
    if (found !== undefined) return found
  }
}

/** Asks until the answer is as wanted; the test's own time-out ends it. */
const listedUntil = async (wanted: (rows: { status: string }[]) => boolean) => {
  for (;;) {
    const rows = await listed()
    if (wanted(rows)) return rows
  }
}
const pollUntil = async (status: number, headers: Record<string, string> = {}) => {
  for (;;) {
    const answer = await fleet.poll(headers)
    if (answer.status === status) return answer
    await answer.arrayBuffer()
  }
}
