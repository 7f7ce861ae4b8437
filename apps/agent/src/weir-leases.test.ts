import { WIRE } from '@weir/wire/model'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import { Weir } from './weir.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })
const LONG = { timeout: 20_000, interval: 10 }

let plane: TestControlPlane
const running: Weir[] = []
beforeEach(async () => {
  plane = await TestControlPlane.start()
})
afterEach(async () => {
  for (const weir of running.splice(0)) await weir.close()
  await plane.stop()
})

const start = async (controlPlane = `ws://127.0.0.1:${plane.port}`): Promise<Weir> => {
  const weir = await Weir.start({ controlPlane, key: 'the-key', snapshotDir: false, telemetry: 'off' })
  running.push(weir)
  weir.gate('front')
  return weir
}
const quotas = (parts: object) => ({
  front: { acme: { rate: null, burst: null, concurrency: null, weight: 1, ...parts } },
})
const fits = (weir: Weir, tenant = 'acme') => {
  const entries = Array.from({ length: 12 }, () => weir.gate('front').tryAcquire({ tenant }))
  const permits = entries.flatMap((entry) => (entry.accepted ? [entry] : []))
  for (const permit of permits) permit.success()
  return permits.length
}

describe('an agent that leases', () => {
  it('asks for what its gates may draw on before any work comes, and lets nothing pass before the answer', async () => {
    plane.snapshot = snapshotOf(
      1,
      { front: {} },
      { ...quotas({ concurrency: 4, rate: 100 }), elsewhere: quotas({ rate: 5 }).front },
    )
    plane.grants = null
    const weir = await start()
    await plane.until(() => plane.of('ask').some(({ asked }) => asked.length > 0))
    expect(plane.of('ask').at(-1)?.asked).toMatchObject([
      { resource: 'front', tenant: 'acme', kind: 'rate', held: null },
      { resource: 'front', tenant: 'acme', kind: 'slots', held: null },
    ])
    expect([fits(weir), fits(weir, 'without a quota')]).toEqual([0, 12])
    plane.grants = (ask) => plane.wholes(ask)
    await vi.waitFor(
      () => expect(weir.status().leases).toMatchObject([{ usable: 100, leased: true }, { usable: 4 }]),
      LONG,
    )
  })

  it('takes what it is granted, says at once that it obeys less, and says how much it uses', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 10 }))
    plane.terms = { refreshMs: 50 }
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(10), LONG)
    const running = Array.from({ length: 6 }, () => weir.gate('front').tryAcquire({ tenant: 'acme' }))
    plane.terms = { refreshMs: 50, units: 4 }
    await plane.until(() => plane.of('obeyed').length > 0)
    expect(plane.of('obeyed')[0]?.obeyed).toMatchObject([
      { tenant: 'acme', inUse: 6, held: { units: 4, epoch: 'test' } },
    ])
    expect(fits(weir)).toBe(0)
    await plane.until(() => plane.of('ask').at(-1)?.asked[0]?.inUse === 6)
    for (const entry of running) if (entry.accepted) entry.success()
    expect(fits(weir)).toBe(4)
    const asked = plane.of('ask').flatMap((ask) => ask.asked)
    expect(asked).toContainEqual(expect.objectContaining({ inUse: 6, used: expect.any(Number) }))
    expect(Math.max(...asked.map(({ want }) => want))).toBeGreaterThan(10)
  })

  it('asks at once when a quota is published, and clips a lease of a larger one', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 10 }))
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(10), LONG)
    const asked = plane.of('ask').length
    plane.grants = null
    plane.snapshot = snapshotOf(2, { front: {} }, quotas({ concurrency: 5 }))
    plane.broadcast(plane.snapshot)
    await vi.waitFor(() => expect(fits(weir)).toBe(5), LONG)
    await plane.until(() => plane.of('ask').length > asked)
    plane.snapshot = snapshotOf(3, { front: {} }, {})
    plane.broadcast(plane.snapshot)
    await vi.waitFor(() => expect([fits(weir), weir.status().leases]).toEqual([12, []]), LONG)
  })

  it.each([
    ['falls to its safe capacity when a lease ends', {}, 3],
    ['may use nothing then where that is the rule', { expiry: 'deny' }, 0],
    ['may hold it for a while where that is the rule', { expiry: 'hold', holdSeconds: 60 }, 8],
  ])('%s', async (_, tenants, after) => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 8 }), 'db', tenants)
    plane.terms = { lengthMs: 400, safe: 3 }
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(8), LONG)
    plane.grants = null
    await vi.waitFor(() => expect(weir.status().leases).toMatchObject([{ leased: false }]), LONG)
    expect([fits(weir), weir.status().leases]).toMatchObject([after, [{ usable: after }]])
  })

  it('goes to its safe capacity before a planned restart, until it is answered again', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 8 }))
    plane.terms = { safe: 3 }
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(8), LONG)
    plane.broadcast({ type: 'drain', minMs: 50, maxMs: 60 })
    await vi.waitFor(() => expect(fits(weir)).toBe(3), LONG)
    await vi.waitFor(() => expect(fits(weir)).toBe(8), LONG)
    expect(plane.sockets).toHaveLength(2)
  })

  it('without a socket asks by polling', async () => {
    plane.upgradeStatus = 426
    plane.split = { agents: 4, rank: 0 }
    plane.snapshot = snapshotOf(2, { front: {} }, quotas({ concurrency: 4 }))
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(4), LONG)
    expect(weir.status()).toMatchObject({ connected: false, uncounted: false, leases: [{ leased: true, usable: 4 }] })
  })
})

describe('an agent with more leases in use than one question holds', () => {
  const TENANTS = Array.from({ length: 1_000 }, (_, i) => `tenant-${i}`)
  const each = { rate: 1_000, burst: 1_000, concurrency: 4, weight: 1 }

  it('divides them among several, and lets all of them work', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, { front: Object.fromEntries(TENANTS.map((name) => [name, each])) })
    const weir = await start()
    await plane.until(() => plane.of('ask').length > 0)
    expect(plane.of('ask').every(({ whole, asked }) => whole && asked.length <= WIRE.leases)).toBe(true)
    const refused = () => TENANTS.filter((tenant) => fits(weir, tenant) === 0)
    await vi.waitFor(() => expect(refused()).toEqual([]), LONG)
    const parts = plane.of('ask').filter(({ whole }) => !whole)
    expect(Math.max(...parts.map(({ asked }) => asked.length))).toBeLessThanOrEqual(WIRE.leases)
    const named = new Set(parts.flatMap(({ asked }) => asked.map(({ tenant }) => tenant)))
    expect(named.size).toBeGreaterThan(WIRE.leases)
    expect(plane.of('ask').map(({ n }) => n)).toEqual(plane.of('ask').map((_, i) => i + 1))
  })
})

describe('an agent that was never answered', () => {
  it('takes its even part after a while, says so, and ends with the first answer', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 8 }))
    plane.split = { agents: 4, rank: 0 }
    plane.grants = null
    const weir = await start()
    await vi.waitFor(() => expect(fits(weir)).toBe(2), LONG)
    await plane.until(() => plane.of('report').at(-1)?.uncounted === true)
    expect(weir.status()).toMatchObject({ uncounted: true, leases: [] })
    plane.grants = (ask) => plane.wholes(ask)
    await vi.waitFor(() => expect(fits(weir)).toBe(8), LONG)
    expect(weir.status().uncounted).toBe(false)
  })

  it('takes nothing where nothing is the rule', async () => {
    plane.snapshot = snapshotOf(1, { front: {} }, quotas({ concurrency: 8 }), 'db', { expiry: 'deny' })
    plane.grants = null
    const weir = await start()
    await plane.until(() => plane.of('report').at(-1)?.uncounted === true)
    expect([fits(weir), weir.status().uncounted]).toEqual([0, true])
  })
})
