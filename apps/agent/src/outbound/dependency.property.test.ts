import { DEFAULT_DEPENDENCY, type OutlierPolicy } from '@weir/policy/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { figuresOf, type PolicyChange, rig, watch } from './rig.testkit.ts'

const OUTLIER = DEFAULT_DEPENDENCY.outlier as OutlierPolicy
const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 })
const call = fc.record({
  afterMs: fc.integer({ min: 0, max: 60 }),
  lastsMs: fc.constantFrom(0, 5, 30, 80, 400, 100_000),
  ends: fc.constantFrom('value', 'error', 'throw', '404', '429', '503', 'stop'),
  idempotent: fc.boolean(),
  deadlineMs: seldom(fc.integer({ min: -5, max: 200 })),
  abortMs: seldom(fc.integer({ min: 0, max: 150 })),
  fallback: seldom(fc.constantFrom('ok', 'fails')),
  tail: seldom(fc.constantFrom('ends', 'breaks', 'hangs')),
  endpoints: fc.constantFrom([], ['a', 'b', 'c']),
})
type Plan = typeof call extends fc.Arbitrary<infer P> ? P : never

const policy: fc.Arbitrary<PolicyChange> = fc.record({
  mode: fc.constantFrom('enforce' as const, 'enforce' as const, 'observe' as const),
  internal: fc.boolean(),
  ceiling: fc.integer({ min: 0, max: 5 }),
  timeoutMs: fc.constantFrom(20, 100, 1_000),
  breaker: fc.record({
    mode: fc.constantFrom('auto' as const, 'auto' as const, 'observe' as const, 'forced-open' as const),
    minimumVolume: fc.integer({ min: 1, max: 5 }),
    openMs: fc.constantFrom(10, 200),
    probes: fc.integer({ min: 1, max: 2 }),
    probeLeaseMs: fc.constantFrom(10, 200),
  }),
  retry: fc.record({
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    initialMs: fc.constantFrom(0, 10),
    maxMs: fc.constant(50),
  }),
  throttle: fc.constantFrom(null, { k: 1.5, minimumVolume: 3, cap: 0.8 }),
  hedge: fc.constantFrom(null, { afterMs: 10 }),
  outlier: fc.constantFrom(null, { ...OUTLIER, minimumVolume: 2, ejectMs: 50 }),
  budget: fc.constantFrom(
    { kind: 'ratio' as const, share: 0.2, floorPerSecond: 0, windowMs: 60_000 },
    { kind: 'token-bucket' as const, maxTokens: 10, ratio: 0.1 },
  ),
})

const work =
  (world: ReturnType<typeof rig>, { ends, lastsMs }: Plan, began: () => void, ended: () => void) =>
  () => {
    began()
    if (ends === 'throw') {
      ended()
      throw new Error('at once')
    }
    return new Promise<unknown>((resolve, reject) =>
      world.time.set(() => {
        ended()
        if (ends === 'value') resolve(1)
        else if (ends === 'error') reject(new Error('later'))
        else if (ends === 'stop') resolve(new Response(null, { status: 503, headers: { 'weir-signal': 'stop' } }))
        else resolve(new Response(null, { status: Number(ends) }))
      }, lastsMs),
    )
  }

const tail = (world: ReturnType<typeof rig>, kind: Plan['tail']) =>
  kind &&
  (() =>
    new Promise<void>((resolve, reject) => {
      if (kind !== 'hangs') world.time.set(kind === 'ends' ? resolve : reject, 25)
    }))

describe('whatever calls do, and whatever the policy becomes meanwhile', () => {
  it('the books balance, permits end once, the ceiling and the budget hold, and nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60 }), policy, policy, async (plans, first, second) => {
        const world = rig(first)
        const { dependency, time } = world
        let running = 0
        let most = 0
        const calls: ReturnType<typeof watch>[] = []
        for (const [index, plan] of plans.entries()) {
          if (index === plans.length >> 1) world.apply(second)
          const caller = new AbortController()
          if (plan.abortMs !== undefined) time.set(() => caller.abort(), plan.abortMs)
          const began = () => {
            most = Math.max(most, ++running)
          }
          calls.push(
            watch(
              dependency.call(
                work(world, plan, began, () => running--),
                {
                  idempotent: plan.idempotent,
                  deadlineMs: plan.deadlineMs,
                  signal: caller.signal,
                  endpoints: plan.endpoints,
                  tail: tail(world, plan.tail),
                  fallback: plan.fallback && (() => (plan.fallback === 'ok' ? 0 : Promise.reject('no'))),
                },
              ),
            ),
          )
          await time.run(plan.afterMs)
          expect(dependency.report().inFlight).toBeGreaterThanOrEqual(running)
        }
        // A call that was observed has no deadline; under the policy that came meanwhile it may be repeated, to five attempts of 100 s.
        await time.run(600_000)

        const { counters } = figuresOf(world)
        const of = (name: string) => counters[name] ?? 0
        const shed = Object.entries(counters).reduce((sum, [name, n]) => sum + (name.startsWith('shed ') ? n : 0), 0)
        expect(calls.every(({ state }) => state !== 'pending')).toBe(true)
        expect(of('calls')).toBe(plans.length)
        expect(of('completed') + of('late') + of('failed') + of('cancelled') + shed).toBe(plans.length)
        expect(of('attempts') - of('retries') - of('hedges')).toBeLessThanOrEqual(plans.length - shed)
        expect(of('fallbacks')).toBeLessThanOrEqual(shed + of('failed'))
        expect([dependency.report().inFlight, running]).toEqual([0, 0])
        if (first.mode === 'enforce' && second.mode === 'enforce' && of('lost') === 0)
          expect(most).toBeLessThanOrEqual(Math.max(first.ceiling ?? 0, second.ceiling ?? 0))
        if (first.budget?.kind === 'ratio' && second.budget?.kind === 'ratio')
          expect(of('retries') + of('hedges')).toBeLessThanOrEqual(
            0.2 * (of('attempts') - of('retries') - of('hedges')) + 1e-9,
          )
        dependency.close()
        expect(time.pending).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
