import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import { Weir } from './weir.ts'

// Real sockets and a real sampler on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let plane: TestControlPlane
let folder: string
let weir: Weir
beforeEach(async () => {
  plane = await TestControlPlane.start()
  folder = await mkdtemp(join(tmpdir(), 'weir-signals-'))
})
afterEach(async () => {
  await weir.close()
  await plane.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the signals of a process', () => {
  it("turn a pool's wait into the overload level of the gate whose policy asks for it, and back", async () => {
    plane.snapshot = snapshotOf(1, { a: { signals: { connectionWaitMs: { open: 100, close: 10 } } }, b: {} })
    weir = await Weir.start({
      controlPlane: `ws://127.0.0.1:${plane.port}`,
      key: 'the-key',
      snapshotDir: folder,
      telemetry: 'off',
    })
    let waitMs = 500
    weir.gauge('orders-db', () => waitMs)
    weir.gate('a')
    weir.gate('b')
    await plane.until(() => plane.of('receipt').length === 1)
    expect(plane.of('receipt')[0]).toMatchObject({ status: 'applied', refused: [] })
    plane.broadcast({ type: 'settings', reportMs: 20, exportMs: 1_000 })
    const levels = () => plane.of('report').map(({ gates }) => gates.map(({ level }) => level))
    await plane.until(() => levels().some(([a = 0]) => a > 0))
    waitMs = 0
    const told = levels().length
    await plane.until(() =>
      levels()
        .slice(told)
        .some(([a]) => a === 0),
    )
    expect(levels().every(([, b]) => b === 0)).toBe(true)
  })
})
