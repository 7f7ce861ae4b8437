import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../gate-rig.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import { FULL, Stage } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

describe.each(HOSTS)('admission in $name', (host) => {
  it('lets work in, shows it its permit, and ends that with the response', async () => {
    stage = await Stage.of(host)
    expect(await stage.echo()).toMatchObject({ body: { n: 1 }, degraded: false, remainingMs: expect.any(Number) })
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, completed: 1 })
  })

  it('refuses before the body is read: a slow upload of 1 MB is answered at once, and no handler runs', async () => {
    stage = await Stage.of(host, FULL)
    const running = await stage.occupy()
    expect(await stage.client.slowUpload()).toMatchObject({
      kind: 'refusal',
      reason: 'limit-reached',
      signal: 'elsewhere',
    })
    stage.script.work.open()
    expect((await running.answer).body).toBe('done')
    await stage.rig.idle()
    expect(stage.rig.books()).toMatchObject({ offered: 2, accepted: 1, completed: 1, shed: 1 })
  })

  it('waits in the queue, and starts when a slot is free', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    const running = await stage.occupy()
    const waiting = stage.client.call('echo', { body: {} })
    await until(() => stage.rig.slots.waiting === 1)
    stage.script.work.open()
    expect((await waiting.answer).kind).toBe('answer')
    expect((await running.answer).body).toBe('done')
    await stage.rig.idle()
    expect(stage.rig.books()).toMatchObject({ offered: 2, accepted: 2, completed: 2 })
  })

  it('types its refusals: the service is short, with a jittered wait', async () => {
    stage = await Stage.of(host, { ...FULL, retryAfter: { minMs: 1_200, maxMs: 1_800 } })
    await stage.occupy()
    const refused = await stage.client.call('work').answer
    expect(refused).toMatchObject({ kind: 'refusal', fault: 'service', reason: 'limit-reached', signal: 'elsewhere' })
    expect(refused.waitMs).toBeGreaterThanOrEqual(1_200)
    expect(refused.waitMs).toBeLessThanOrEqual(2_000)
    expect(refused.headers['weir-revision']).toBeUndefined()
  })

  it('types its refusals: the caller used up its own share', async () => {
    const nothing = { rate: 0, burst: null, concurrency: null, weight: 1 }
    stage = await Stage.of(host, {}, { tenant: () => 'acme' }, { default: nothing })
    expect(await stage.client.call('work').answer).toMatchObject({
      kind: 'refusal',
      fault: 'caller',
      reason: 'tenant-rate',
      signal: 'later',
    })
    expect(stage.script.runs).toBe(0)
  })

  it('tells a trusted peer the revision', async () => {
    stage = await Stage.of(host, FULL, { trust: () => true })
    await stage.occupy()
    expect((await stage.client.call('work').answer).headers['weir-revision']).toBe('7')
  })

  it('B-56b frees the slot with the response, not with the connection, also after refusals', async () => {
    stage = await Stage.of(host, FULL)
    for (let i = 0; i < 10; i++) {
      expect((await stage.client.call('echo', { body: {} }).answer).kind).toBe('answer')
      await stage.rig.idle()
    }
    await stage.occupy()
    for (let i = 0; i < 5; i++) expect((await stage.client.call('echo', { body: {} }).answer).kind).toBe('refusal')
    stage.script.work.open()
    await stage.rig.idle()
    expect((await stage.client.call('echo', { body: {} }).answer).kind).toBe('answer')
  })

  it('B-57 gives the slot back when the body turns out to be invalid', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    await stage.client.brokenBody()
    await stage.rig.idle()
    // gRPC's library answers by itself, and shows nobody.
    const books = host.transport === 'grpc' ? { cancelled: 1 } : { completed: 1, ignored: 1 }
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, ...books })
    expect((await stage.client.call('echo', { body: {} }).answer).kind).toBe('answer')
  })

  it('B-38 gives the slot back when the next stage throws', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    for (let i = 0; i < 3; i++) expect((await stage.client.call('throws').answer).kind).toBe('error')
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 3, accepted: 3, failed: 3 })
  })

  it('B-85 never sheds a health probe under overload, and lets only a few at once', async () => {
    stage = await Stage.of(host, FULL)
    await stage.occupy()
    for (let i = 0; i < 20; i++) expect((await stage.client.call('health').answer).body).toBe('well')
    const flood = Array.from({ length: 17 }, () => stage.client.call('health', { context: { slow: '1' } }).answer)
    const first = await Promise.race(flood)
    expect(first.kind).toBe('refusal')
    stage.script.probes.open()
    expect((await Promise.all(flood)).filter(({ kind }) => kind === 'refusal')).toHaveLength(1)
    expect((await stage.client.call('health').answer).body).toBe('well')
    expect(stage.rig.books()).toMatchObject({ offered: 2 })
  })

  it('refuses new work while it drains, and lets the old end', async () => {
    stage = await Stage.of(host)
    const running = await stage.occupy()
    stage.rig.gate.drain()
    expect(await stage.client.call('work').answer).toMatchObject({
      reason: 'draining',
      signal: 'elsewhere',
      fault: 'service',
    })
    expect((await stage.client.call('health').answer).body).toBe('well')
    stage.script.work.open()
    expect((await running.answer).body).toBe('done')
    await stage.rig.idle()
  })
})
