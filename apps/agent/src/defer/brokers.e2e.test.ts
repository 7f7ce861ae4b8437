import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deferred, DeferredWork, Entry, Work } from '../admission/gate.ts'
import { GateRig } from '../host/gate-rig.testkit.ts'
import { type Broker, bullMq, pgBoss } from './brokers.testkit.ts'

const word = (entry: Entry | Deferred): string => {
  if ('deferred' in entry) return 'deferred'
  return entry.accepted ? 'accepted' : entry.reason
}

describe.each([
  ['BullMQ over Redis', bullMq],
  ['pg-boss over PostgreSQL', pgBoss],
] as const)('deferring to %s', (_name, make) => {
  let broker: Broker
  let rig: GateRig
  beforeEach(async () => {
    broker = await make()
    rig = new GateRig({ concurrency: 1, queue: { maxWaitMs: 0 } })
    rig.gate.deferTo(broker.port, { withinMs: 10_000 })
    rig.gate.tryAcquire({})
  })
  afterEach(async () => {
    rig.gate.close()
    await broker.stop()
  })

  const defer = async (work: Work, payload: unknown, id?: string) =>
    word(await rig.gate.acquireOrDefer(work, { payload, id }))

  it('G10 what is acknowledged is there, whole, and is done', async () => {
    expect(await defer({ tenant: 'acme', criticality: 'critical' }, { order: [1, 'ü'] })).toBe('deferred')
    const kept = {
      gate: 'http',
      id: null,
      payload: { order: [1, 'ü'] },
      tenant: 'acme',
      criticality: 'critical',
      reason: 'limit-reached',
    }
    expect(await broker.stored()).toEqual([kept])
    const done: DeferredWork[] = []
    await broker.work(1, (work) => done.push(work))
    expect([done, await broker.stored()]).toEqual([[kept], []])
    expect(rig.books()).toMatchObject({ offered: 2, accepted: 1, deferred: 1 })
  })

  it('G10 what is acknowledged outlives the end of everything in between', async () => {
    expect(await defer({}, 1)).toBe('deferred')
    await broker.cut()
    await broker.restore()
    expect((await broker.stored()).map(({ payload }) => payload)).toEqual([1])
  })

  it('keeps work of one id once, for each tenant', async () => {
    for (const tenant of ['acme', 'acme', 'zeta']) expect(await defer({ tenant }, tenant, 'order-1')).toBe('deferred')
    expect((await broker.stored()).map(({ tenant, id }) => [tenant, id]).sort()).toEqual([
      ['acme', 'order-1'],
      ['zeta', 'order-1'],
    ])
    await broker.work(2, () => undefined)
    expect(await defer({ tenant: 'acme' }, 'acme', 'order-1')).toBe('deferred')
    expect(await broker.stored()).toEqual([])
  })

  it('keeps a call once by its idempotency key, for each tenant and dependency', async () => {
    const call = { dependency: 'payments', payload: 1, idempotencyKey: 'order-1', tenant: null, criticality: null }
    const { signal } = new AbortController()
    for (const other of [{}, {}, { payload: 2 }, { tenant: 'acme' }, { dependency: 'mail' }, { idempotencyKey: '2' }])
      await broker.port.enqueue({ ...call, ...other }, signal)
    expect(await broker.stored()).toHaveLength(4)
    expect(await broker.stored()).toContainEqual(call)
  })

  it('does not acknowledge the repetition of what has failed for good', async () => {
    expect(await defer({}, 1, 'order-1')).toBe('deferred')
    await broker.work(1, () => {
      throw new Error('no such order')
    })
    expect(await defer({}, 1, 'order-1')).toBe('defer-failed')
    expect(await defer({}, 1, 'order-2')).toBe('deferred')
  })

  it('sheds as defer-failed what cannot be kept, and what the broker does not answer in time', async () => {
    expect(await defer({}, 1n)).toBe('defer-failed')
    rig.gate.deferTo(broker.port, { withinMs: 300 })
    await broker.cut()
    expect(await Promise.all(Array.from({ length: 8 }, (_, i) => defer({}, i)))).toEqual(Array(8).fill('defer-failed'))
    const { shed, deferred, offered } = rig.books()
    expect([shed, deferred, offered]).toEqual([9, undefined, 10])
    expect(rig.slots.active).toBe(1)
  })

  it('asks an unreachable broker for a few jobs at most, and defers again when it is back', async () => {
    rig.gate.deferTo(broker.port, { withinMs: 300 })
    await broker.cut()
    for (let i = 0; i < 4; i++) await Promise.all(Array.from({ length: 5 }, () => defer({}, 'while away')))
    await broker.restore()
    rig.gate.deferTo(broker.port, { withinMs: 10_000 })
    await expect.poll(() => defer({}, 'back'), { timeout: 30_000 }).toBe('deferred')
    await expect
      .poll(async () => (await broker.stored()).filter(({ payload }) => payload === 'back').length)
      .toBeGreaterThan(0)
    expect((await broker.stored()).filter(({ payload }) => payload === 'while away').length).toBeLessThanOrEqual(5)
  })
})
