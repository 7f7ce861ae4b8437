import { DEFAULT_TENANTS, UNLIMITED } from '@weir/policy/model'
import { expect, it } from 'vitest'
import { Scaled } from './scaled.ts'

const whole = {
  quotas: { acme: { rate: 100, burst: 10, concurrency: 4, weight: 2 } },
  tenants: { ...DEFAULT_TENANTS, default: { ...UNLIMITED, rate: 10 } },
}

it('makes every quota of a resource smaller, the default too, and is the same object until something changes', () => {
  const scaled = new Scaled()
  const half = scaled.of('a', whole, 0.5)
  expect(half.quotas.acme).toEqual({ rate: 50, burst: 5, concurrency: 2, weight: 2 })
  expect(half.tenants.default.rate).toBe(5)
  expect(scaled.of('a', whole, 0.5)).toBe(half)
  expect(scaled.of('a', { ...whole, quotas: {} }, 0.5)).not.toBe(half)
  expect(scaled.of('a', whole, 0.25).quotas.acme?.rate).toBe(25)
  expect(scaled.of('a', whole, 1)).toBe(whole)
})
