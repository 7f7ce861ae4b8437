import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import type { WeirOptions } from './options.ts'
import { Weir } from './weir.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

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

describe('a host', () => {
  it('a gate that is first asked for after close refuses, as those of before do', async () => {
    const weir = await start({ controlPlane: '', mode: 'enforce' })
    const before = weir.gate('before')
    await weir.close()
    const after = weir.gate('after')
    expect([before, after].map((gate) => gate.tryAcquire())).toMatchObject([
      { reason: 'draining' },
      { reason: 'draining' },
    ])
  })

  it('is unharmed by a wrong key: told once, on built-in defaults', async () => {
    plane.upgradeStatus = 401
    const weir = await start()
    await vi.waitFor(() => expect(errors).toEqual(['stream: The control plane does not accept this key (401).']), {
      timeout: 20_000,
    })
    expect(weir.gate('a').tryAcquire().accepted).toBe(true)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['numbers', { controlPlane: 5, key: 6, snapshotDir: 7, onError: 8, bootstrapFile: 9 }],
    ['nonsense', { controlPlane: 'http//x', key: '\n', mode: 'loud', telemetry: 'maybe', otlpEndpoint: 'x' }],
  ])('is unharmed by options that are %s', async (_name, options) => {
    const weir = await Weir.start(options as WeirOptions)
    running.push(weir)
    expect(weir.status().source).toBe('built-in')
    expect(await weir.gate('a').run({}, () => 'ran')).toBe('ran')
  })

  it('is unharmed by an error sink that throws', async () => {
    const weir = await start({
      controlPlane: 'nowhere',
      onError: () => {
        throw new Error('sink')
      },
    })
    expect(weir.gate('a').tryAcquire().accepted).toBe(true)
  })

  it('is heard over every policy when it sets WEIR_MODE', async () => {
    vi.stubEnv('WEIR_MODE', 'off')
    plane.snapshot = snapshotOf(1, { a: { concurrency: 1, queue: { maxItems: 0 } } })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    expect(plane.of('hello')[0]?.modeOverride).toBe('off')
    expect(weir.gate('a').report().mode).toBe('off')
    expect(Array.from({ length: 5 }, () => weir.gate('a').tryAcquire()).every(({ accepted }) => accepted)).toBe(true)
  })

  it('may use names as it likes: they are mended once and told, and their number is bounded', async () => {
    const weir = await start()
    expect(weir.gate('Check Out!')).toBe(weir.gate('check-out'))
    expect(weir.gate('')).toBe(weir.gate('unnamed'))
    for (let i = 0; i < 600; i++) weir.gate(`g${i}`)
    expect(weir.status().gates.length).toBe(500)
    expect(weir.gate('g599')).toBe(weir.gate('other'))
    expect(weir.gate('constructor').report().mode).toBe('observe')
  })

  it('drains: new work is refused, running work ends, also in a gate that is made later', async () => {
    plane.snapshot = snapshotOf(1, { a: {}, late: {} })
    const weir = await start()
    await plane.until(() => receipts().length === 1)
    const entry = weir.gate('a').tryAcquire()
    let drained = false
    const draining = weir.drain(60_000).then(() => {
      drained = true
    })
    expect(weir.gate('a').tryAcquire()).toMatchObject({ accepted: false, reason: 'draining' })
    expect(weir.gate('late').tryAcquire()).toMatchObject({ accepted: false, reason: 'draining' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(drained).toBe(false)
    if (entry.accepted) entry.success()
    await draining
  })
})
