import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../gate-rig.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import type { HttpTestClient } from './http-client.testkit.ts'
import { FULL, Stage, turns } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

const HTTP = HOSTS.filter(({ transport }) => transport === 'http')

describe.each(HTTP)('HTTP in $name', (host) => {
  const http = () => stage.client as HttpTestClient

  it('answers a problem document with Retry-After in whole seconds', async () => {
    stage = await Stage.of(host, { ...FULL, retryAfter: { minMs: 1_200, maxMs: 1_800 } })
    await stage.occupy()
    const { headers, body } = await stage.client.call('work').answer
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': '2',
    })
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'All slots are taken',
      status: 503,
      reason: 'limit-reached',
      signal: 'elsewhere',
    })
  })

  it('tells a trusted peer the figures', async () => {
    stage = await Stage.of(host, FULL, { trust: () => true })
    await stage.occupy()
    expect(JSON.parse((await stage.client.call('work').answer).body)).toMatchObject({
      gate: 'http',
      revision: 7,
      limit: 1,
      active: 1,
      waiting: 0,
      retryAfterMs: expect.any(Number),
    })
  })

  it('never starts work that had expired on arrival, and names no time to come back', async () => {
    stage = await Stage.of(host, {}, { trust: () => true })
    const refused = await stage.client.call('work', { context: { 'weir-deadline-ms': '0' } }).answer
    expect(refused).toMatchObject({ reason: 'expired-on-arrival', signal: 'stop', fault: 'service', waitMs: null })
    expect(stage.script.runs).toBe(0)
  })

  it('keeps the connection after a refusal', async () => {
    stage = await Stage.of(host, FULL)
    await stage.occupy()
    const one = http().agent
    for (let i = 0; i < 5; i++) await stage.client.call('echo', { body: { n: i } }).answer
    expect(Object.values(one.freeSockets).flat()).toHaveLength(1)
    expect(Object.values(one.sockets).flat()).toHaveLength(1)
  })

  it('exempts a probe by its route: not a path that ends alike, nor another method', async () => {
    stage = await Stage.of(host, FULL)
    await stage.occupy()
    const ask = (method: string, path: string) => {
      const request = http().open(method, path)
      request.end()
      return http().answer(request)
    }
    expect((await ask('GET', '/healthz?deep=1')).kind).toBe('answer')
    expect((await ask('GET', '/files/healthz')).kind).toBe('refusal')
    expect((await ask('POST', '/healthz')).kind).toBe('refusal')
    expect((await ask('GET', '/%ff')).kind).not.toBe('answer')
  })

  it('answers a refused HEAD without a body', async () => {
    stage = await Stage.of(host, FULL)
    await stage.occupy()
    const request = http().open('HEAD', '/work')
    request.end()
    expect(await http().answer(request)).toMatchObject({ kind: 'refusal', body: '', reason: 'limit-reached' })
  })

  it('frees the slot of an answer that waits behind another when their connection breaks', async () => {
    stage = await Stage.of(host, { concurrency: 2 })
    const socket = connect(stage.port, '127.0.0.1')
    socket.write('GET /work HTTP/1.1\r\nHost: x\r\n\r\nGET /nested HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => stage.script.runs === 1 && stage.rig.slots.active === 2)
    await turns(50)
    socket.destroy()
    await until(() => stage.rig.slots.zombies === 1 && stage.rig.slots.active === 0)
    stage.script.work.open()
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 2, accepted: 2, cancelled: 2 })
  })

  it('keeps the context of work whose body comes late', async () => {
    stage = await Stage.of(host, {}, { tenant: () => 'acme' })
    const request = http().open('POST', '/echo', { 'content-type': 'application/json', 'content-length': '2' })
    request.flushHeaders()
    await until(() => stage.rig.slots.active === 1)
    await turns(50)
    const answer = http().answer(request)
    request.end('{}')
    expect(JSON.parse((await answer).body)).toMatchObject({ tenant: 'acme' })
  })
})
