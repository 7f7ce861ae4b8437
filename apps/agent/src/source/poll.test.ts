import type { EvenSplit } from '@weir/policy/model'
import { settled, type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import { type Scales, type Snapshot, WIRE } from '@weir/wire/model'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from '../control-plane.testkit.ts'
import type { HttpClient } from '../core/http.ts'
import { nodeHttp } from '../http.ts'
import { Poll } from './poll.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let plane: TestControlPlane
let runtime: VirtualRuntime
let http: HttpClient
let poll: Poll
let received: Snapshot[]
let splits: EvenSplit[]

let told: Scales | null
beforeEach(async () => {
  told = null
  plane = await TestControlPlane.start()
  runtime = virtualRuntime()
  http = nodeHttp()
  received = []
  splits = []
  poll = new Poll({
    origin: `http://127.0.0.1:${plane.port}`,
    key: 'the-key',
    instance: 'one',
    runtime,
    http,
    onSplit: (split, scales) => {
      splits.push(split)
      told = scales
    },
    onSnapshot: (snapshot) => received.push(snapshot),
  })
})
afterEach(async () => {
  poll.stop()
  http.close()
  await plane.stop()
})

const said = () => runtime.errors.map(({ error }) => String((error as Error).message))

/** One question and its answer; returns how long the poll waited before it asked. */
const round = async (): Promise<number> => {
  const from = runtime.time.now()
  while (runtime.time.pending > 0) runtime.time.advance(10)
  const waited = runtime.time.now() - from
  while (runtime.time.pending === 0) await settled()
  return waited
}

describe('the poll', () => {
  it('asks with its key and instance, and again only for what changed', async () => {
    poll.start()
    expect(await round()).toBeGreaterThanOrEqual(WIRE.pollMs / 2)
    expect(plane.polls[0]).toMatchObject({ authorization: 'Bearer the-key', 'weir-instance': 'one' })
    expect(received.map(({ revision }) => revision)).toEqual([1])
    await round()
    expect(plane.polls[1]?.['if-none-match']).toBe(`"${plane.snapshot.hash}"`)
    expect(received).toHaveLength(1)
    plane.snapshot = snapshotOf(2, { a: {} })
    await round()
    expect(received.map(({ revision }) => revision)).toEqual([1, 2])
  })

  it('asks nothing once it is stopped, and drops an answer that is still on its way', async () => {
    poll.start()
    while (runtime.time.pending > 0) runtime.time.advance(10)
    poll.stop()
    await plane.until(() => plane.polls.length === 1)
    for (let i = 0; i < 50; i++) await settled()
    expect(received).toEqual([])
    expect(runtime.time.pending).toBe(0)
  })

  it.each([401, 403])('takes %i for a wrong key: says so once and waits 30 s and more', async (status) => {
    plane.policyStatus = status
    poll.start()
    await round()
    expect(await round()).toBeGreaterThanOrEqual(30_000)
    expect(await round()).toBeGreaterThanOrEqual(60_000)
    expect(said()).toEqual([`The control plane does not accept this key (${status}).`])
  })

  it('backs off from errors up to 30 s and recovers', async () => {
    plane.policyStatus = 500
    poll.start()
    for (let i = 0; i < 6; i++) expect(await round()).toBeLessThanOrEqual(WIRE.reconnectMaxMs + 10)
    plane.policyStatus = 200
    await round()
    expect(received).toHaveLength(1)
    expect(said()).toHaveLength(1)
  })

  it.each([200, 304, 204])('hears its share with an answer of %i', async (status) => {
    poll.start()
    await round()
    plane.split = { agents: 3, rank: 1 }
    plane.policyStatus = status
    await round()
    expect(told).toBeNull()
    expect(splits).toEqual([
      { agents: 1, rank: 0 },
      { agents: 3, rank: 1 },
    ])
    expect(received).toHaveLength(1)
    expect(said()).toEqual([])
  })

  it('hears no share where none is told', async () => {
    plane.split = null
    poll.start()
    await round()
    expect(received).toHaveLength(1)
    expect(splits).toEqual([])
  })

  it('takes it well that nothing was published yet', async () => {
    plane.policyStatus = 204
    poll.start()
    await round()
    expect(await round()).toBeLessThan(WIRE.pollMs + 100)
    expect(said()).toEqual([])
  })

  it('reports an answer that is not a policy and keeps asking', async () => {
    plane.snapshot = { ...snapshotOf(1, {}), hash: 'short' } as Snapshot
    poll.start()
    await round()
    await round()
    expect(received).toEqual([])
    expect(said()).toEqual(['The policy was not understood.'])
  })

  it('refuses an answer that is longer than a message may be', async () => {
    plane.snapshot = snapshotOf(1, { a: { note: 'x'.repeat(WIRE.maxControlMessageBytes) } })
    poll.start()
    await round()
    expect(received).toEqual([])
    expect(said()[0]).toMatch(/longer than/)
  })

  it('outlives a control plane that is not there', async () => {
    await plane.stop()
    poll.start()
    await round()
    await round()
    expect(said()[0]).toMatch(/ECONNREFUSED/)
    plane = await TestControlPlane.start()
  })

  it('M3 hears which shares of the quotas are in force', async () => {
    poll.start()
    plane.scales = { checkout: 0.49 }
    await round()
    expect(told).toEqual({ checkout: 0.49 })
    plane.scales = {}
    await round()
    expect(told).toEqual({})
  })
})
