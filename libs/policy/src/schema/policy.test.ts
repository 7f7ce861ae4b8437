import { describe, expect, it } from 'vitest'
import { policySchema } from './policy.ts'

describe('policy schema', () => {
  it('makes a one-line policy complete', () => {
    const policy = policySchema.parse({ gates: { checkout: { concurrency: 20 } } })
    expect(policy.gates.checkout).toMatchObject({
      mode: 'enforce',
      resource: 'checkout',
      concurrency: { algorithm: 'fixed', floor: 1, initial: 20, ceiling: 20 },
    })
  })

  it('is a fixed point: its output is valid input and does not change', () => {
    const once = policySchema.parse({ gates: { a: { concurrency: 5 } }, dependencies: { b: {} } })
    expect(policySchema.parse(once)).toEqual(once)
  })
})
