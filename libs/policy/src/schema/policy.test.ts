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
    const once = policySchema.parse({
      gates: { a: { concurrency: 5, consumer: { maxAgeMs: 60_000 } } },
      dependencies: { b: {} },
      feedback: { 'mails.v2': { resource: 'a' } },
    })
    expect(policySchema.parse(once)).toEqual(once)
  })

  it('lets a rule move the quotas only of what its own gates draw on', () => {
    const problems = (feedback: object) =>
      policySchema
        .safeParse({ gates: { a: {}, b: { resource: 'shared' } }, feedback })
        .error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? []
    expect(problems({ mails: { resource: 'shared' }, Logs: { resource: 'a' } })).toEqual([])
    expect(problems({ mails: { resource: 'b' } })).toEqual([
      ['feedback.mails.resource', 'No gate of this policy draws on "b": its quotas would bind nobody.'],
    ])
    expect(problems({ mails: { resource: 'a', lagSeconds: { open: 5, close: 5 } } })).toHaveLength(1)
    expect(problems({ 'm\n': { resource: 'a' } })).toHaveLength(1)
    expect(problems({ mails: { resource: 'a', cut: 1 } })).toHaveLength(1)
    const many = Array.from({ length: 21 }, (_, i) => [`t${i}`, { resource: 'a' }])
    expect(problems(Object.fromEntries(many))).toEqual([['feedback', 'A policy follows at most 20 topics.']])
  })
})
