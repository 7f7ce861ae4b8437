import { DEFAULT_DEPENDENCY, DEFAULT_GATE, type EffectivePolicy, LIMITS } from '@weir/policy/model'
import { policySchema, quotaSchema } from '@weir/policy/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEffective as read, type Unsupported } from './read.ts'
import { NOTHING, type RawEffective } from './standing.ts'

const document = (gates: object, more: object = {}): RawEffective => ({
  policy: { version: 1, gates, ...more },
  quotas: {},
})
const none: Unsupported = () => []
const readEffective = (raw: RawEffective, before: EffectivePolicy, unsupported = none) => read(raw, before, unsupported)

const paths = (raw: RawEffective, before: EffectivePolicy = NOTHING) =>
  readEffective(raw, before).refused.map(({ path }) => path)

describe('reading a pushed policy', () => {
  it('takes a complete policy as it is', () => {
    const policy = policySchema.parse({ gates: { checkout: { concurrency: 20 } }, dependencies: { payments: {} } })
    const quotas = { checkout: { acme: { rate: 5, burst: null, concurrency: 2, weight: 1 } } }
    const reading = readEffective({ policy, quotas }, NOTHING)
    expect(reading).toMatchObject({ usable: true, refused: [] })
    expect(reading.effective).toEqual({ policy, quotas })
  })

  it('applies the valid gates and leaves a refused one as it was', () => {
    const before = readEffective(document({ a: { concurrency: 5 }, b: { concurrency: 6 } }), NOTHING).effective
    const reading = readEffective(document({ a: { concurrency: -1 }, b: { concurrency: 7 } }), before)
    expect(reading.effective.policy.gates.a?.concurrency.initial).toBe(5)
    expect(reading.effective.policy.gates.b?.concurrency.initial).toBe(7)
    expect(reading.refused.map(({ path }) => path)).toEqual(['policy.gates.a.concurrency'])
  })

  it('has no gate where a refused one never was', () => {
    const reading = readEffective(document({ a: { concurrency: 'many' } }), NOTHING)
    expect(Object.keys(reading.effective.policy.gates)).toEqual([])
    expect(reading.usable).toBe(true)
  })

  it('ignores unknown settings one by one, at any depth, and says so', () => {
    const raw = document(
      { a: { concurrency: { initial: 9, colour: 'red' }, queue: { mood: 1 }, shiny: true } },
      { extras: {} },
    )
    const reading = readEffective(raw, NOTHING)
    expect(reading.effective.policy.gates.a?.concurrency.initial).toBe(9)
    expect(reading.refused.map(({ path }) => path).sort()).toEqual([
      'policy.extras',
      'policy.gates.a.concurrency.colour',
      'policy.gates.a.queue.mood',
      'policy.gates.a.shiny',
    ])
  })

  it('applies a gate of which it cannot do everything, and says what', () => {
    const unsupported: Unsupported = ({ concurrency }) =>
      concurrency.algorithm === 'fixed' ? [] : [{ path: 'concurrency.algorithm', message: 'A fixed limit stands in.' }]
    const reading = readEffective(
      document({ a: { concurrency: { algorithm: 'gradient2', initial: 30 } }, b: {} }),
      NOTHING,
      unsupported,
    )
    expect(reading.effective.policy.gates.a?.concurrency.initial).toBe(30)
    expect(reading.refused).toEqual([
      { path: 'policy.gates.a.concurrency.algorithm', message: 'A fixed limit stands in.' },
    ])
  })

  it('refuses one tenant quota without touching the others', () => {
    const quota = { rate: 1, burst: null, concurrency: null, weight: 1 }
    const reading = readEffective(
      { policy: {}, quotas: { api: { good: quota, bad: { ...quota, rate: -1 }, '\u0000': quota } } },
      NOTHING,
    )
    expect(Object.keys(reading.effective.quotas.api ?? {})).toEqual(['good'])
    expect(reading.refused.map(({ path }) => path)).toEqual(['quotas.api.bad.rate', 'quotas.api.\u0000'])
  })

  it('cannot be looked through by a tenant or a gate with the name of a built-in member', () => {
    const { effective } = readEffective({ policy: {}, quotas: { api: {} } }, NOTHING)
    expect(effective.quotas.constructor).toBeUndefined()
    expect(effective.quotas.api?.constructor).toBeUndefined()
    const hostile: unknown = JSON.parse('{"__proto__": {"rate": 0, "burst": null, "concurrency": null, "weight": 1}}')
    const seen = readEffective({ policy: {}, quotas: { api: hostile } }, NOTHING).effective.quotas
    expect(Object.keys(seen.api ?? {})).toEqual(['__proto__'])
    expect(seen.api?.hasOwnProperty).toBeUndefined()
  })

  it('refuses the whole of a version that it does not read', () => {
    const before = readEffective(document({ a: {} }), NOTHING).effective
    expect(readEffective({ policy: { version: 2, gates: {} }, quotas: {} }, before)).toMatchObject({
      effective: before,
      usable: false,
    })
  })

  it('bounds the number of gates and quotas', () => {
    const many = Object.fromEntries(Array.from({ length: LIMITS.items + 5 }, (_, i) => [`g${i}`, {}]))
    const reading = readEffective(document(many), NOTHING)
    expect(Object.keys(reading.effective.policy.gates)).toHaveLength(LIMITS.items)
    expect(reading.refused.map(({ path }) => path)).toEqual(['policy.gates'])
  })

  it('survives any JSON in any place', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (policy, gates, quotas) => {
        readEffective({ policy, quotas }, NOTHING)
        const reading = readEffective({ policy: { gates, dependencies: gates, tenants: policy }, quotas }, NOTHING)
        expect(reading.effective.policy.version).toBe(1)
      }),
    )
  })

  it('reads a quota by its short cut exactly as by the schema', () => {
    const number = fc.oneof(fc.constant(null), fc.double(), fc.integer({ min: -1, max: 200_000 }), fc.string())
    fc.assert(
      fc.property(number, number, number, number, (rate, burst, concurrency, weight) => {
        const quota = { rate, burst, concurrency, weight }
        const seen = readEffective({ policy: {}, quotas: { api: { t: quota } } }, NOTHING)
        const right = quotaSchema.safeParse(quota)
        expect(seen.effective.quotas.api?.t).toEqual(right.success ? right.data : undefined)
      }),
    )
  })

  it('says where the defaults stand: an empty gate and an empty dependency are complete', () => {
    const { effective } = readEffective(document({ a: {} }, { dependencies: { b: {} } }), NOTHING)
    expect(effective.policy.gates.a).toEqual({ ...DEFAULT_GATE, resource: 'a' })
    expect(effective.policy.dependencies.b).toEqual(DEFAULT_DEPENDENCY)
    expect(paths(document({ a: {} }))).toEqual([])
  })
})
