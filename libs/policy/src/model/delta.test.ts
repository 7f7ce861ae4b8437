import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policyHash } from '../hash.ts'
import { applyDelta, type DeltaChange, deltaOf } from './delta.ts'

/** Few names, so that two documents have many in common; some that every object inherits. */
const name = fc.constantFrom('a', 'b', 'c', 'tenant one', '', '__proto__', 'constructor', '0')
const documents = fc.letrec((tie) => ({
  object: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -0, 1.5, '', 'text'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
}))
const object = documents.object as fc.Arbitrary<Record<string, unknown>>
/** As it comes over a wire. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('a delta', () => {
  it('turns one document into the other, to the same hash, and leaves the first as it was', () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const [before, after] = [sent(a), sent(b)]
        const text = JSON.stringify(before)
        const reached = applyDelta(before, sent(deltaOf(before, after)))
        expect(policyHash(reached)).toBe(policyHash(after))
        expect(reached).toEqual(after)
        expect(JSON.stringify(before)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('of what is equal is empty, in whatever order its members are', () => {
    fc.assert(
      fc.property(object, (document) => {
        const turned = Object.fromEntries(Object.entries(sent(document)).reverse())
        expect(deltaOf(sent(document), turned)).toEqual([])
      }),
    )
  })

  it('of one quota among ten thousand is one change, and copies what is on its way only', () => {
    const quota = (rate: number) => ({ rate, burst: rate, concurrency: null, weight: 1 })
    const tenants = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`tenant ${i}`, quota(i)]))
    const before = { policy: { gates: {} }, quotas: { checkout: tenants, search: {} } }
    const after = sent(before)
    ;(after.quotas.checkout['tenant 7'] as { rate: number }).rate = 70
    const changes = deltaOf(before, after)
    expect(changes).toEqual([{ path: ['quotas', 'checkout', 'tenant 7', 'rate'], value: 70 }])
    const reached = applyDelta(before, changes) as typeof before
    expect(reached).toEqual(after)
    expect(reached.policy).toBe(before.policy)
    expect(reached.quotas.checkout['tenant 8']).toBe(before.quotas.checkout['tenant 8'])
  })

  it.each<[string, DeltaChange[]]>([
    ['through what is not there', [{ path: ['x', 'y'], value: 1 }]],
    ['through what is no object', [{ path: ['a', 'y'], value: 1 }]],
    ['through what every object inherits', [{ path: ['__proto__', 'y'], value: 1 }]],
    ['to nothing', [{ path: [], value: 1 }]],
    ['that takes out what is not there', [{ path: ['x'] }]],
  ])('of another base does not apply: %s', (_, changes) => {
    expect(applyDelta({ a: [1] }, changes)).toBeNull()
    expect(Object.hasOwn(Object.prototype, 'y')).toBe(false)
  })

  it('applies in order', () => {
    const changes: DeltaChange[] = [{ path: ['a'], value: {} }, { path: ['a', 'b'], value: 1 }, { path: ['c'] }]
    expect(applyDelta({ c: 1 }, changes)).toEqual({ a: { b: 1 } })
    expect(applyDelta({ c: 1 }, changes.toReversed())).toBeNull()
  })
})
