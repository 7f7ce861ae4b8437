import { DEFAULT_TENANTS } from '@weir/policy/model'
import { settled } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Entry, Permit } from './gate.ts'
import { rebuild } from './rebuild.ts'
import { wordOf } from './trail.ts'

const CLASSES = ['critical-plus', 'critical', 'sheddable-plus', 'sheddable'] as const
const integer = (min: number, max: number) => fc.integer({ min, max })

const ask = fc.record({
  do: fc.constant('ask' as const),
  tenant: integer(0, 4),
  klass: integer(0, 3),
  deadlineMs: integer(-1, 80),
  cost: integer(0, 3),
  wait: fc.boolean(),
})
const press = fc.record({ do: fc.constant('press' as const), level: integer(0, 4), delayMs: integer(0, 30) })
const policy = fc.record({
  do: fc.constant('policy' as const),
  limit: integer(1, 6),
  maxWaitMs: integer(0, 60),
  adaptive: fc.boolean(),
  strict: fc.boolean(),
  observe: fc.boolean(),
  rate: fc.constantFrom(null, 100),
})
const step = fc.oneof(
  { weight: 5, arbitrary: ask },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: integer(0, 40) }) },
  { weight: 1, arbitrary: press },
  { weight: 1, arbitrary: policy },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const policyOf = (change: Extract<Step, { do: 'policy' }>) =>
  gatePolicy({
    limit: change.limit,
    mode: change.observe ? 'observe' : 'enforce',
    maxHoldMs: 200,
    queue: {
      maxWaitMs: change.maxWaitMs,
      maxItems: 2,
      order: change.adaptive ? 'adaptive' : 'fifo',
      initialRatePerSecond: change.rate,
    },
    classes: {
      strict: change.strict,
      reserves: { 'critical-plus': 0, critical: 0.3, 'sheddable-plus': 0, sheddable: 0.3 },
    },
  })
const FIRST = policyOf({
  do: 'policy',
  limit: 3,
  maxWaitMs: 40,
  adaptive: false,
  strict: false,
  observe: false,
  rate: null,
})

describe('explain', () => {
  it('S3 in every interleaving each decision is rebuilt from what was kept of it', async () => {
    const reasons = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
        const quotas = { t0: quota({ rate: 50, burst: 5 }), t1: quota({ concurrency: 2 }), t2: quota({ weight: 3 }) }
        const given = (policy: typeof FIRST) =>
          settings(policy, { quotas, tenants: { ...DEFAULT_TENANTS, unknown: 'refuse', default: quota({}) } })
        const { gate, runtime } = bench(given(FIRST), { explainAll: true })
        const running: Permit[] = []
        let observe = false
        for (const one of steps) {
          if (one.do === 'pass') runtime.time.advance(one.ms)
          else if (one.do === 'press') Object.assign(gate, { level: one.level, delayMs: one.delayMs })
          else if (one.do === 'policy') {
            observe = one.observe
            gate.apply(given(policyOf(one)))
          } else if (one.do === 'end') running.splice(one.pick % Math.max(1, running.length), 1)[0]?.success()
          else {
            const { deadlineMs, cost } = one
            const work = { tenant: `t${one.tenant}`, criticality: CLASSES[one.klass] ?? 'critical', deadlineMs, cost }
            const entry = one.wait ? gate.acquire(work) : gate.tryAcquire(work)
            const [latest] = gate.explain()
            if (!latest) throw new Error('not kept')
            expect(latest.outcome).toBe(wordOf(rebuild(latest.inputs)))
            if (!observe) expect(latest.outcome).toBe('accepted' in entry ? said(entry as Entry) : 'waits')
            reasons.add(latest.outcome)
            void Promise.resolve(entry).then((late) => late.accepted && running.push(late))
          }
          await settled()
        }
        gate.close()
        expect(gate.mishaps.faults).toBe(0)
      }),
      { numRuns: 1_500 },
    )
    expect([...reasons].sort()).toEqual([
      'accepted',
      'class-shed',
      'expired-on-arrival',
      'limit-reached',
      'queue-full',
      'tenant-concurrency',
      'tenant-rate',
      'unknown-tenant',
      'waits',
      'would-be-late',
    ])
  }, 120_000)

  it('keeps few decisions all, and many in ever wider gaps until figures are collected', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 }), { revision: 7 }))
    permitOf(gate.tryAcquire({ tenant: 'first', route: 'GET /' }))
    for (let i = 0; i < 20_000; i++) gate.tryAcquire({ tenant: `t${i % 50}` })
    const kept = gate.explain()
    expect(kept).toHaveLength(64)
    expect(kept.every(({ outcome }) => outcome === 'limit-reached')).toBe(true)
    expect(kept[0]?.inputs).toMatchObject({ revision: 7, limit: 1, inUse: 1, level: 0 })
  })

  it('tells whose work it was', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })))
    gate.tryAcquire({ tenant: 'acme', route: 'POST /pay', criticality: 'critical' })
    expect(gate.explain()).toMatchObject([
      { gate: 'gate', tenant: 'acme', route: 'POST /pay', criticality: 'critical', outcome: 'accepted' },
    ])
  })
})
