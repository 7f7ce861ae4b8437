import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeferPort, DeferredWork } from '../../admission/gate.ts'
import { door, until } from '../gate-rig.testkit.ts'
import type { Options } from './host.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import type { HttpTestClient } from './http-client.testkit.ts'
import { FULL, Stage } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

/** A durable queue that acknowledges when its door opens. */
class Outbox implements DeferPort {
  readonly kept: DeferredWork[] = []
  readonly acks = door()

  async enqueue(work: DeferredWork): Promise<void> {
    this.kept.push(work)
    await this.acks.promise
  }
}

let stage: Stage
let outbox: Outbox
afterEach(async () => {
  outbox.acks.open()
  await stage.stop()
})

const json: Options['defer'] = async (_request, body) => ({
  payload: JSON.parse(Buffer.from(await body()).toString()),
  id: 'order-1',
  location: '/orders/1',
})

describe.each(HOSTS.filter(({ transport }) => transport === 'http'))('deferring in $name', (host) => {
  const staged = async (options: Options, acknowledges = true) => {
    stage = await Stage.of(host, FULL, options)
    outbox = new Outbox()
    if (acknowledges) outbox.acks.open()
    stage.rig.gate.deferTo(outbox)
    await stage.occupy()
  }
  const post = (body: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${stage.port}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      ...init,
    })

  it('answers 202 with the id, once the work is durable and not before, and starts no handler', async () => {
    await staged({ defer: json, tenant: () => 'acme' }, false)
    let answered = false
    const answer = post('{"n":1}').finally(() => {
      answered = true
    })
    await until(() => outbox.kept.length === 1)
    expect(answered).toBe(false)
    outbox.acks.open()
    const {
      status,
      headers,
      json: read,
    } = await answer.then(async (got) => ({
      status: got.status,
      headers: got.headers,
      json: await got.json(),
    }))
    expect([status, read, headers.get('location'), headers.get('cache-control')]).toEqual([
      202,
      { deferred: true, id: 'order-1' },
      '/orders/1',
      'no-store',
    ])
    expect(headers.get('weir-reason')).toBeNull()
    expect(outbox.kept[0]).toMatchObject({ payload: { n: 1 }, id: 'order-1', tenant: 'acme', reason: 'limit-reached' })
    expect([stage.script.runs, stage.rig.books()]).toEqual([1, { offered: 2, accepted: 1, deferred: 1 }])
  })

  it('makes an id where the host has none, another for each', async () => {
    await staged({ defer: () => ({ payload: null }) })
    const ids = await Promise.all(
      [post('{}'), post('{}')].map(async (answer) => ((await (await answer).json()) as { id: string }).id),
    )
    expect(new Set(ids).size).toBe(2)
    expect(outbox.kept.map(({ id }) => id).sort()).toEqual(ids.sort())
  })

  it('asks nothing where there is room: the handler gets its body', async () => {
    let asked = 0
    const defer = () => {
      asked++
      return null
    }
    stage = await Stage.of(host, FULL, { defer })
    outbox = new Outbox()
    stage.rig.gate.deferTo(outbox)
    expect(await stage.echo()).toMatchObject({ body: { n: 1 } })
    expect(asked).toBe(0)
  })

  it('refuses as ever what its host does not defer, and where the host fails, which it tells', async () => {
    const told: unknown[] = []
    const onError = (error: unknown) => told.push(error)
    let says = (): null => null
    await staged({ defer: () => says(), onError })
    expect((await post('{}')).headers.get('weir-reason')).toBe('limit-reached')
    says = () => {
      throw new Error('host bug')
    }
    expect((await post('{}')).headers.get('weir-reason')).toBe('limit-reached')
    expect([told.map(String), outbox.kept]).toEqual([['Error: host bug'], []])
  })

  it('leaves out a location that is no header, and tells so', async () => {
    const told: unknown[] = []
    await staged({
      defer: () => ({ payload: 1, location: '/a\r\nset-cookie: x=y' }),
      onError: (error) => told.push(error),
    })
    const { status, headers } = await post('{}')
    expect([status, headers.get('location'), headers.get('set-cookie'), told.length]).toEqual([202, null, null, 1])
  })

  it('answers that it could not be deferred where the queue fails', async () => {
    await staged({ defer: json })
    stage.rig.gate.deferTo({ enqueue: () => Promise.reject(new Error('disk full')) })
    const { status, headers } = await post('{}')
    expect([status, headers.get('weir-reason'), headers.get('weir-signal')]).toEqual([503, 'defer-failed', 'later'])
  })

  it('refuses a body that is too long, told beforehand or not, and the connection goes on', async () => {
    await staged({ defer: json, deferBytes: 100 })
    expect(await stage.client.slowUpload()).toMatchObject({ kind: 'refusal', reason: 'limit-reached' })
    await expect.poll(() => stage.rig.deferring).toBe(0)
    const client = stage.client as HttpTestClient
    const post = (text: string) => {
      const open = client.open('POST', '/echo', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
      const answer = client.answer(open)
      open.end(text)
      return { open, answer }
    }
    expect(await post(`"${'x'.repeat(2 ** 20)}"`).answer).toMatchObject({ kind: 'refusal', reason: 'limit-reached' })
    const next = post('{"n":2}')
    expect(await next.answer).toMatchObject({ body: '{"deferred":true,"id":"order-1"}' })
    expect(next.open.reusedSocket).toBe(true)
    expect(outbox.kept).toHaveLength(1)
  })

  it('a body that is asked for, not to be had and never looked at harms nobody', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      await staged({
        defer: (_request, body) => {
          void body()
          return null
        },
        deferBytes: 1,
      })
      expect((await post('{"n":1}')).headers.get('weir-reason')).toBe('limit-reached')
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('keeps nothing of a caller that left amid its body, and its books add up', async () => {
    await staged({ defer: json })
    stage.rig.gate.deferTo(outbox, { withinMs: 60_000 })
    const half = stage.client.halfBody()
    await until(() => stage.rig.deferring === 1)
    half.leave()
    await until(() => stage.rig.deferring === 0)
    expect([outbox.kept, stage.rig.books()]).toEqual([[], { offered: 2, accepted: 1, shed: 1 }])
  })

  it('does not wait for a body that does not come', async () => {
    await staged({ defer: json })
    stage.rig.gate.deferTo(outbox, { withinMs: 50 })
    const client = stage.client as HttpTestClient
    const open = client.open('POST', '/echo', { 'content-type': 'application/json', 'content-length': '90' })
    open.write('{"a":')
    expect(await client.answer(open)).toMatchObject({ kind: 'refusal', reason: 'defer-failed' })
    open.destroy()
    expect(outbox.kept).toEqual([])
  })
})
