import { DEFAULT_DEPENDENCY, type OutlierPolicy } from '@weir/policy/model'
import { seededRandom } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { Endpoints, MAX_ENDPOINTS } from './endpoints.ts'
import { figuresOf, type PolicyChange, rig, watch } from './rig.testkit.ts'

const FOUR = ['a', 'b', 'c', 'd']
const outlier = DEFAULT_DEPENDENCY.outlier as OutlierPolicy

/** A thousand calls, ten milliseconds apart; each attempt takes what its replica takes, and fails where that is negative. Which replicas were used. */
const drive = async (
  world: ReturnType<typeof rig>,
  takesMs: Readonly<Record<string, number>>,
  { calls = 1_000, endpoints = FOUR as readonly string[], everyMs = 10 } = {},
) => {
  const used: string[] = []
  const ends: ReturnType<typeof watch>[] = []
  let turn = 0
  for (let i = 0; i < calls; i++) {
    const work = ({ endpoint }: { endpoint: string | null }) => {
      const replica = endpoint ?? (FOUR[turn++ % 4] as string)
      used.push(replica)
      const ms = takesMs[replica] ?? 10
      return new Promise((resolve, reject) =>
        world.time.set(() => (ms < 0 ? reject('down') : resolve(replica)), Math.abs(ms)),
      )
    }
    ends.push(watch(world.dependency.call(work, { endpoints, idempotent: true })))
    await world.time.run(everyMs)
  }
  await world.time.run(5_000)
  return { used, ends, share: (name: string) => used.filter((one) => one === name).length / used.length }
}

const world = (change: PolicyChange = {}) => rig({ ceiling: 1_000, timeoutMs: 2_000, ...change }, 3)

describe('one of four replicas', () => {
  it('that is fifty times slower suffers a quarter of the calls without avoidance, and under two per cent with it', async () => {
    const without = await drive(world({ outlier: null }), { d: 500 }, { endpoints: [] })
    expect(without.share('d')).toBeCloseTo(0.25, 2)
    const it = world()
    expect((await drive(it, { d: 500 })).share('d')).toBeLessThan(0.02)
    expect(it.dependency.report().breaker).toBe('closed')
  })

  it('that fails is avoided before the breaker of the whole opens, and its calls are made good elsewhere', async () => {
    const it = world({
      retry: { maxAttempts: 2, initialMs: 1 },
      budget: { kind: 'ratio', share: 0.2, floorPerSecond: 10, windowMs: 10_000 },
    })
    const { share, ends } = await drive(it, { d: -5 })
    expect(share('d')).toBeLessThan(0.02)
    expect(ends.filter(({ state }) => state === 'rejected').length).toBeLessThan(5)
    expect(it.dependency.report().breaker).toBe('closed')
    expect(figuresOf(it).counters.ejections).toBe(1)
    expect(figuresOf(it).gauges.ejected).toBe(1)
  })

  it('that hangs takes no more than what is needed to notice', async () => {
    const it = world({ timeoutMs: 200 })
    expect((await drive(it, { d: 100_000 }, { calls: 500 })).share('d')).toBeLessThan(0.05)
  })

  it('that recovers is back after one probe', async () => {
    const it = world()
    await drive(it, { d: -5 }, { calls: 200 })
    expect(figuresOf(it).gauges.ejected).toBe(1)
    await it.time.run(outlier.ejectMs)
    expect((await drive(it, {}, { calls: 200 })).share('d')).toBeGreaterThan(0.15)
    expect(figuresOf(it).gauges.ejected).toBe(0)
  })

  it('that stays ill costs one probe a period', async () => {
    const it = world()
    await drive(it, { d: 500 }, { calls: 300 })
    const { used } = await drive(it, { d: 500 }, { calls: 3_000 })
    expect(used.filter((one) => one === 'd').length).toBeLessThanOrEqual(4)
  })
})

describe('avoidance is bounded', () => {
  it('half of the replicas at most are avoided; where all are ill none stays unused and the breaker of the whole judges', async () => {
    const it = world({ breaker: { mode: 'forced-closed' } })
    const { used } = await drive(it, { a: -5, b: -5, c: -5, d: -5 }, { calls: 400 })
    expect(figuresOf(it).gauges.ejected).toBe(2)
    expect(new Set(used.slice(-50)).size).toBeGreaterThanOrEqual(2)
    const open = world()
    await drive(open, { a: -5, b: -5, c: -5, d: -5 }, { calls: 100 })
    expect(open.dependency.report().breaker).not.toBe('closed')
  })

  it('the only replica is never avoided, one of two may be', async () => {
    const alone = world({ breaker: { mode: 'forced-closed' } })
    expect((await drive(alone, { a: -5 }, { calls: 50, endpoints: ['a'] })).used).toHaveLength(50)
    const two = world({ outlier: { ...outlier, maxEjectedShare: 0 }, breaker: { mode: 'forced-closed' } })
    expect((await drive(two, { a: -5 }, { calls: 200, endpoints: ['a', 'b'] })).share('a')).toBeLessThan(0.1)
  })

  it('under observe nobody is avoided', async () => {
    const it = world({ mode: 'observe' })
    expect((await drive(it, { d: -5 })).share('d')).toBeGreaterThan(0.2)
    expect(figuresOf(it).counters.ejections).toBeUndefined()
  })

  it('all equally slow are none slow', async () => {
    const it = world()
    const { share } = await drive(it, { a: 300, b: 300, c: 300, d: 300 })
    for (const name of FOUR) expect(share(name)).toBeGreaterThan(0.15)
    expect(figuresOf(it).counters.ejections).toBeUndefined()
  })

  it.each([[['d']], [['d', 'd']]])(
    'where only those that are avoided are on offer, %j, they are used',
    async (endpoints) => {
      const it = world({ breaker: { mode: 'forced-closed' } })
      await drive(it, { d: -5 }, { calls: 200 })
      expect(figuresOf(it).gauges.ejected).toBe(1)
      expect((await drive(it, {}, { calls: 10, endpoints })).used).toEqual(Array(10).fill('d'))
      expect(it.dependency.report().inFlight).toBe(0)
    },
  )

  it('one that is named twice is one', async () => {
    const it = world({ breaker: { mode: 'forced-closed' } })
    const { used } = await drive(it, { a: -5 }, { calls: 100, endpoints: ['a', 'a'] })
    expect([used.length, it.dependency.report().inFlight]).toEqual([100, 0])
  })

  it('no more replicas are kept in mind than the bound', () => {
    const endpoints = new Endpoints()
    const random = seededRandom(1)
    for (let i = 0; i < 10 * MAX_ENDPOINTS; i++) endpoints.place([`e${i}`], 0, DEFAULT_DEPENDENCY, random, null)
    expect(endpoints.known).toBe(MAX_ENDPOINTS)
  })
})

describe('the next attempt', () => {
  it('goes elsewhere than the one that failed', async () => {
    const it = world({
      retry: { maxAttempts: 2, initialMs: 1 },
      budget: { kind: 'ratio', share: 1, floorPerSecond: 0, windowMs: 10_000 },
    })
    for (let i = 0; i < 50; i++) {
      const seen: (string | null)[] = []
      const work = ({ endpoint }: { endpoint: string | null }) => {
        seen.push(endpoint)
        return new Response(null, { status: seen.length === 1 ? 429 : 200 })
      }
      watch(it.dependency.call(work, { endpoints: FOUR, idempotent: true }))
      await it.time.run(10)
      expect(seen).toHaveLength(2)
      expect(seen[0]).not.toBe(seen[1])
    }
  })

  it('where nothing is on offer there is no endpoint', async () => {
    const endpoints: unknown[] = []
    for (const options of [{}, { endpoints: [] }])
      await world().dependency.call(({ endpoint }) => endpoints.push(endpoint), options)
    expect(endpoints).toEqual([null, null])
  })
})
