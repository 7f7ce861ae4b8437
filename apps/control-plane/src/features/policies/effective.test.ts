import { BUILT_IN_POLICY, LIMITS } from '@weir/policy/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeEffective, type QuotaEntry } from './effective.ts'

const entry = (resource: string, tenant: string, rate = 1): QuotaEntry => ({
  resource,
  tenant,
  rate,
  burst: null,
  concurrency: null,
  weight: 1,
})

test('the hash does not depend on the order in which quotas were read', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string({ minLength: 1 })), {
    selector: ([resource, tenant]) => `${resource}/${tenant}`,
  })
  fc.assert(
    fc.property(entries, (pairs) => {
      const quotas = pairs.map(([resource, tenant]) => entry(resource, tenant))
      expect(encodeEffective(BUILT_IN_POLICY, quotas.toReversed())).toEqual(encodeEffective(BUILT_IN_POLICY, quotas))
    }),
  )
})

test('a tenant may have the name of a member of every object', () => {
  const encoded = encodeEffective(BUILT_IN_POLICY, [
    entry('checkout', '__proto__', 7),
    entry('checkout', 'constructor'),
  ])
  expect(encoded.ok && Object.entries(JSON.parse(encoded.value.effective).quotas.checkout)).toEqual([
    ['__proto__', { rate: 7, burst: null, concurrency: null, weight: 1 }],
    ['constructor', { rate: 1, burst: null, concurrency: null, weight: 1 }],
  ])
})

test('past 10,000 quotas or 1 MiB it is refused', () => {
  const many = Array.from({ length: LIMITS.quotas + 1 }, (_, n) => entry('r', `t${n}`))
  expect(encodeEffective(BUILT_IN_POLICY, many)).toMatchObject({ ok: false, refusal: { code: 'conflict' } })
  const long = Array.from({ length: 9_000 }, (_, n) => entry('r', `${'x'.repeat(100)}${n}`))
  expect(encodeEffective(BUILT_IN_POLICY, long)).toMatchObject({ ok: false, refusal: { code: 'too-large' } })
  expect(encodeEffective(BUILT_IN_POLICY, many.slice(0, 5_000)).ok).toBe(true)
})
