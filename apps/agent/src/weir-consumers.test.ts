import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import { Weir } from './weir.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const LONG = { timeout: 20_000 }

let plane: TestControlPlane
const running: Weir[] = []
beforeEach(async () => {
  plane = await TestControlPlane.start()
})
afterEach(async () => {
  for (const weir of running.splice(0)) await weir.close()
  await plane.stop()
})

const start = async (): Promise<Weir> => {
  const controlPlane = `ws://127.0.0.1:${plane.port}`
  const weir = await Weir.start({ controlPlane, key: 'the-key', snapshotDir: false, telemetry: 'off' })
  running.push(weir)
  return weir
}
const receipts = () => plane.of('receipt')

describe('an agent whose process consumes or feeds a topic', () => {
  it('M3 makes quotas smaller as it is told, says so, and keeps them where it is told nothing', async () => {
    const quota = { rate: null, burst: null, concurrency: 4, weight: 1 }
    plane.snapshot = snapshotOf(1, { front: { resource: 'api' } }, { api: { acme: quota } })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    const fits = () => {
      const entries = Array.from({ length: 6 }, () => weir.gate('front').tryAcquire({ tenant: 'acme' }))
      const permits = entries.flatMap((entry) => (entry.accepted ? [entry] : []))
      for (const permit of permits) permit.success()
      return permits.length
    }
    await vi.waitFor(() => expect(fits()).toBe(4), LONG)
    const lease = { type: 'lease', allocator: 'even', agents: 1, rank: 0 } as const
    plane.broadcast({ ...lease, scales: { api: 0.5 } })
    plane.broadcast({ type: 'settings', reportMs: 20, exportMs: 1_000 })
    await plane.until(() => plane.of('report').at(-1)?.scales.api === 0.5)
    expect([fits(), weir.status().scales]).toEqual([2, { api: 0.5 }])
    plane.broadcast({ ...lease, agents: 2 })
    await vi.waitFor(() => expect(weir.status().split.agents).toBe(2), LONG)
    expect(fits()).toBe(2)
    plane.broadcast({ ...lease, scales: {} })
    await plane.until(() => Object.keys(plane.of('report').at(-1)?.scales ?? {}).length === 0)
    expect(fits()).toBe(4)
  })

  it('reports the topics that it consumes', async () => {
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    const consumer = weir.consumer('mails', 'mails.v1')
    consumer.measured(90_000)
    plane.broadcast({ type: 'settings', reportMs: 20, exportMs: 1_000 })
    await plane.until(() => plane.of('report').length > 0)
    const idle = { gate: 'mails', topic: 'mails.v1', lagMs: 90_000, inHand: 0, running: 0, paused: false }
    expect(plane.of('report')[0]?.consumers).toEqual([idle])
    await weir.drain(0)
    expect(await consumer.take({}, () => 'worked')).toEqual({ fate: 'left' })
    expect(weir.status().consumers).toEqual([])
  })
})
