import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import type { WeirOptions } from './options.ts'
import { Weir } from './weir.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })
/** A poll is asked each five seconds, in real time. */
const LONG = { timeout: 20_000 }

let plane: TestControlPlane
let url: string
let folder: string
let errors: string[]
let running: Weir[]

beforeEach(async () => {
  plane = await TestControlPlane.start()
  url = `ws://127.0.0.1:${plane.port}`
  folder = await mkdtemp(join(tmpdir(), 'weir-agent-'))
  errors = []
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((weir) => weir.close()))
  await plane.stop()
  await rm(folder, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

const start = async (options: WeirOptions = {}): Promise<Weir> => {
  const weir = await Weir.start({
    controlPlane: url,
    key: 'the-key',
    snapshotDir: folder,
    telemetry: 'off',
    onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`),
    ...options,
  })
  running.push(weir)
  return weir
}
const receipts = () => plane.of('receipt')
const limit = (weir: Weir, gate = 'a') => weir.gate(gate).report().limit

describe('an agent and its control plane', () => {
  it('obeys what is pushed and says so', async () => {
    plane.snapshot = snapshotOf(4, { a: { concurrency: 7 } })
    const weir = await start({ zone: 'z1' })
    const gate = weir.gate('a')
    expect(gate.report().mode).toBe('observe')
    await plane.until(() => receipts().length === 1)
    const { databaseId, revision, hash } = plane.snapshot
    expect(receipts()[0]).toEqual({ type: 'receipt', databaseId, revision, hash, status: 'applied', refused: [] })
    expect(plane.of('hello')[0]).toMatchObject({ applied: null, source: 'built-in', zone: 'z1', modeOverride: null })
    expect(gate.report()).toMatchObject({ mode: 'enforce', limit: 7 })
    expect(weir.status()).toMatchObject({ connected: true, source: 'stream', environment: 'test', service: 'orders' })
    plane.broadcast(snapshotOf(5, { a: { concurrency: 9 } }))
    await plane.until(() => receipts().length === 2)
    expect(limit(weir)).toBe(9)
    expect(errors).toEqual([])
  })

  it('applies item by item: the valid gate takes effect, the refused one stays, the receipt has the path', async () => {
    plane.snapshot = snapshotOf(1, { a: { concurrency: 7 }, b: { concurrency: 8 } })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    plane.broadcast(
      snapshotOf(
        2,
        { a: { concurrency: 0 }, b: { concurrency: 9, glow: true, concurrency2: 1 } },
        { a: { t: { rate: -1 } } },
      ),
    )
    await plane.until(() => receipts().length === 2)
    expect([limit(weir, 'a'), limit(weir, 'b')]).toEqual([7, 9])
    const { status, refused } = receipts()[1] ?? { refused: [] }
    expect(status).toBe('partly')
    expect(refused.map(({ path }) => path)).toEqual([
      'policy.gates.a.concurrency',
      'policy.gates.b.glow',
      'policy.gates.b.concurrency2',
      'quotas.a.t.rate',
    ])
    expect(errors).toHaveLength(1)
  })

  it('does all that a policy can say of a gate', async () => {
    const reserves = { critical: 0.5 }
    plane.snapshot = snapshotOf(1, {
      a: {
        concurrency: { algorithm: 'vegas', initial: 12 },
        queue: { order: 'adaptive' },
        classes: { reserves, strict: true, topShareCap: 0.5 },
        signals: { heapShare: { open: 0.9, close: 0.8 } },
        degrade: { level: 1, usage: 0.9 },
      },
    })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    expect(receipts()[0]?.status).toBe('applied')
    expect(limit(weir)).toBe(12)
    expect(weir.status().refused).toEqual([])
  })

  it('refuses a forged policy and an older one, keeps what it has, and takes another database', async () => {
    plane.snapshot = snapshotOf(5, { a: { concurrency: 5 } })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    plane.broadcast({ ...snapshotOf(6, { a: { concurrency: 6 } }), hash: 'f'.repeat(64) })
    plane.broadcast(snapshotOf(4, { a: { concurrency: 4 } }))
    await plane.until(() => receipts().length === 3)
    expect(
      receipts()
        .slice(1)
        .map(({ revision, hash, status }) => [revision, hash[0] === 'f', status]),
    ).toEqual([
      [6, true, 'refused'],
      [4, false, 'refused'],
    ])
    expect(limit(weir)).toBe(5)
    plane.broadcast(snapshotOf(1, { a: { concurrency: 1 } }, {}, 'restored'))
    await plane.until(() => receipts().length === 4)
    expect(receipts()[3]).toMatchObject({ databaseId: 'restored', status: 'applied' })
    expect(limit(weir)).toBe(1)
  })

  it('splits quotas as it is told, and reports its state each second', async () => {
    const weir = await start()
    weir.gate('a')
    weir.dependency('payments')
    await plane.until(() => receipts().length === 1)
    plane.broadcast({ type: 'lease', allocator: 'even', agents: 4, rank: 2 })
    plane.broadcast({ type: 'settings', reportMs: 20, exportMs: 1_000 })
    await plane.until(() => plane.of('report').length >= 2)
    expect(weir.status().split).toEqual({ agents: 4, rank: 2 })
    const [first, second] = plane.of('report')
    expect([first?.sequence, second?.sequence]).toEqual([1, 2])
    expect(first?.gates.map(({ name }) => name)).toEqual(['a'])
    expect(first?.dependencies.map(({ name }) => name)).toEqual(['payments'])
  })

  it('exports the figures of an edge gate as such, with the key and under its own names', async () => {
    plane.snapshot = snapshotOf(1, { front: { edge: true }, inner: {} })
    const weir = await start({ telemetry: 'own' })
    await plane.until(() => receipts().length === 1)
    for (const name of ['front', 'inner']) {
      const entry = weir.gate(name).tryAcquire({ tenant: 'acme' })
      if (entry.accepted) entry.success()
    }
    await weir.close()
    const told = JSON.stringify(plane.exports.map(({ body }) => body))
    expect(plane.exports[0]?.authorization).toBe('Bearer the-key')
    const points = [...told.matchAll(/"attributes":\[(\{"key":"weir\.gate".*?)\](?=[,}])/g)].map(
      ([, attributes]) => attributes ?? '',
    )
    const edges = (gate: string) =>
      points.filter((point) => point.includes(`"${gate}"`)).map((point) => point.includes('weir.edge'))
    expect(new Set(edges('front'))).toEqual(new Set([true]))
    expect(new Set(edges('inner'))).toEqual(new Set([false]))
    expect(told).toContain('{"key":"service.name","value":{"stringValue":"orders"}}')
  })

  it('polls where no socket gets through', async () => {
    plane.upgradeStatus = 426
    plane.snapshot = snapshotOf(2, { a: { concurrency: 3 } })
    const weir = await start()
    await plane.until(() => plane.polls.length === 1)
    await vi.waitFor(() => expect(limit(weir)).toBe(3), LONG)
    expect(weir.status()).toMatchObject({ connected: false, source: 'poll' })
  })

  it('hears of its share by polling too, and keeps it for a start without anybody', async () => {
    plane.upgradeStatus = 426
    plane.snapshot = snapshotOf(2, { a: {} }, { a: { t: { concurrency: 8 } } })
    plane.split = { agents: 4, rank: 1 }
    const first = await start()
    await vi.waitFor(
      () => expect(first.status()).toMatchObject({ source: 'poll', split: { agents: 4, rank: 1 } }),
      LONG,
    )
    const entries = Array.from({ length: 8 }, () => first.gate('a').tryAcquire({ tenant: 't' }))
    expect(entries.filter(({ accepted }) => accepted)).toHaveLength(2)
    plane.split = { agents: 5, rank: 1 }
    await vi.waitFor(() => expect(first.status().split.agents).toBe(5), LONG)
    await first.close()
    expect((await start({ controlPlane: 'ws://127.0.0.1:9' })).status().split).toEqual({ agents: 5, rank: 1 })
    expect(errors.filter((error) => !error.startsWith('stream:'))).toEqual([])
  })

  it('takes next to nothing of the quotas where it was told no share, and says so once', async () => {
    plane.split = null
    plane.upgradeStatus = 426
    plane.snapshot = snapshotOf(2, { a: {} }, { a: { t: { concurrency: 8, rate: 100 } } })
    const weir = await start()
    await vi.waitFor(() => expect(weir.status()).toMatchObject({ source: 'poll', split: { agents: 1_000 } }), LONG)
    const entries = Array.from({ length: 8 }, () => weir.gate('a').tryAcquire({ tenant: 't' }))
    expect(entries.filter(({ accepted }) => accepted)).toHaveLength(0)
    expect(weir.gate('a').tryAcquire({ tenant: 'without a quota' }).accepted).toBe(true)
    expect(errors.filter((error) => error.includes('no share'))).toHaveLength(1)
  })

  it('comes back after the control plane was away, with its revision in hand', async () => {
    plane.snapshot = snapshotOf(3, { a: { concurrency: 4 } })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    const { port } = plane
    await plane.stop()
    await vi.waitFor(() => expect(weir.status().connected).toBe(false), LONG)
    expect(limit(weir)).toBe(4)
    plane = await TestControlPlane.start(port)
    plane.snapshot = snapshotOf(3, { a: { concurrency: 4 } })
    await plane.until(() => receipts().length >= 1)
    expect(plane.of('hello')[0]?.applied).toMatchObject({ revision: 3 })
    expect(receipts()[0]?.status).toBe('applied')
    expect(plane.live).toHaveLength(1)
  })
})

describe('an agent without a control plane', () => {
  const away = { controlPlane: 'ws://127.0.0.1:9' }

  it('starts at once, counts and refuses nothing', async () => {
    const weir = await start(away)
    expect(weir.status()).toMatchObject({ connected: false, source: 'built-in', policy: null })
    const entries = Array.from({ length: 200 }, () => weir.gate('a').tryAcquire())
    expect(entries.every(({ accepted }) => accepted)).toBe(true)
  })

  it('starts with the policy and the split that it had', async () => {
    plane.snapshot = snapshotOf(9, { a: { concurrency: 3 } })
    const first = await start()
    await plane.until(() => receipts().length === 1)
    plane.broadcast({ type: 'lease', allocator: 'even', agents: 5, rank: 1 })
    await vi.waitFor(() => expect(first.status().split.agents).toBe(5), LONG)
    await first.close()
    const second = await start(away)
    expect(second.status()).toMatchObject({ source: 'disk', policy: { revision: 9 }, split: { agents: 5, rank: 1 } })
    expect(limit(second)).toBe(3)
  })

  it('does not use a snapshot that was changed, or one of another service', async () => {
    plane.snapshot = snapshotOf(9, { a: { concurrency: 3 } })
    const first = await start()
    await plane.until(() => receipts().length === 1)
    await first.close()
    expect(await readdir(folder)).toHaveLength(1)
    const other = await start({ ...away, service: 'payments' })
    expect(other.status().source).toBe('built-in')
    expect(errors.join()).toMatch(/snapshot on disk is of test\/orders/)
    const [name = ''] = await readdir(folder)
    await writeFile(join(folder, name), '{"mac":"00","body":"{}"}')
    expect((await start(away)).status().source).toBe('built-in')
    expect(errors.join()).toMatch(/not a snapshot written with this key/)
  })

  it('falls back to the bootstrap file, in YAML', async () => {
    const file = join(folder, 'weir.yaml')
    await writeFile(file, 'gates:\n  a:\n    concurrency: 6\n')
    const weir = await start({ ...away, bootstrapFile: file })
    expect(weir.status()).toMatchObject({ source: 'bootstrap', split: { agents: 1, rank: 0 } })
    expect(limit(weir)).toBe(6)
  })

  it('takes what is valid of a bootstrap file, item by item, and reports the rest with its place', async () => {
    const file = join(folder, 'weir.yaml')
    await writeFile(
      file,
      'gates:\n  a:\n    concurrency: 6\n    glow: true\n  b:\n    concurrency: 0\n  c:\n    concurrency: 7\n',
    )
    const weir = await start({ ...away, bootstrapFile: file })
    expect(weir.status()).toMatchObject({ source: 'bootstrap', policy: null })
    expect([limit(weir, 'a'), limit(weir, 'c')]).toEqual([6, 7])
    expect(weir.gate('b').report().mode).toBe('observe')
    expect(weir.status().refused.map(({ path }) => path)).toEqual(['policy.gates.a.glow', 'policy.gates.b.concurrency'])
    expect(errors.join()).toMatch(/valid items are used\..*gates\.a\.glow \(line 4\).*gates\.b\.concurrency \(line 6\)/)
  })

  it.each(['gates: [', '- a list', '"__proto__": 1', 'version: 9'])(
    'reports a bootstrap file that is no policy: %s',
    async (text) => {
      const file = join(folder, 'weir.yaml')
      await writeFile(file, `${text}\n`)
      const weir = await start({ ...away, bootstrapFile: file })
      expect(weir.status().source).toBe('built-in')
      expect(errors.join()).toMatch(/weir\.yaml/)
    },
  )
})
