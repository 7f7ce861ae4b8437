import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policySchema } from '../schema/policy.ts'
import { diffPolicies, diffQuotas } from './diff.ts'

const policy = (document: unknown) => policySchema.parse(document)

describe('a diff in words', () => {
  it('names what changes, from what, to what, and whether it admits less', () => {
    const before = policy({ gates: { checkout: { concurrency: 20 } } })
    const after = policy({
      gates: { checkout: { concurrency: 5, mode: 'observe' }, search: {} },
      tenants: { default: { rate: 5 } },
    })
    expect(diffPolicies(before, after).map(({ sentence, tightens }) => [sentence, tightens])).toEqual([
      ['Gate "checkout": the mode goes from enforce to observe.', false],
      ['Gate "checkout": the limit goes from 20 slots to 5 slots.', true],
      ['Gate "search" is new: enforce, fixed limit of 100 slots, waits up to 500 ms.', true],
      ['Tenants without a quota of their own: the rate goes from not limited to 5/s.', true],
    ])
  })

  it('of a policy with itself is empty', () => {
    const one = policy({ gates: { a: { concurrency: { algorithm: 'vegas' } } }, dependencies: { b: { throttle: {} } } })
    expect(diffPolicies(one, one)).toEqual([])
  })

  it('the first publish is told from the built-in policy', () => {
    expect(diffPolicies(null, policy({ dependencies: { payments: {} } }))).toHaveLength(1)
  })

  it('tells a rule of feedback and an age from which messages are left', () => {
    const before = policy({ gates: { a: { consumer: { maxAgeMs: 60_000 } } } })
    const after = policy({ gates: { a: { consumer: { maxAgeMs: 1_000 } } }, feedback: { mails: { resource: 'a' } } })
    expect(diffPolicies(before, after).map(({ sentence, tightens }) => [sentence, tightens])).toEqual([
      ['Gate "a": the oldest message that is worked on goes from 60000 ms to 1000 ms.', true],
      [
        'Feedback of topic "mails" is new: quotas of "a" shrink from a lag of 60 s on, down to 0.1 of themselves, and grow back from 15 s.',
        true,
      ],
    ])
    const slower = policy({ ...after, feedback: { mails: { resource: 'a', least: 0.5 } } })
    expect(diffPolicies(after, slower).map(({ path, tightens }) => [path, tightens])).toEqual([
      ['feedback.mails.least', false],
    ])
  })

  it('quotas: a raise admits more, a new quota admits less', () => {
    const quota = { rate: 10, burst: null, concurrency: null, weight: 1 }
    const changes = diffQuotas(
      { checkout: { acme: quota } },
      { checkout: { acme: { ...quota, rate: 20 }, umbrella: quota } },
    )
    expect(changes.map(({ sentence, tightens }) => [sentence, tightens])).toEqual([
      ['Quota of "checkout" for tenant "acme": the rate goes from 10/s to 20/s.', false],
      ['Quota of "checkout" for tenant "umbrella" is new: 10/s, concurrency not limited, weight 1.', true],
    ])
  })

  it('every number that changes is told, whichever it is', () => {
    const document = policy({
      gates: { g: { concurrency: { algorithm: 'aimd' } } },
      dependencies: { d: { throttle: {} } },
    })
    const numbers: string[][] = []
    const walk = (value: unknown, path: string[]) => {
      if (typeof value === 'number') numbers.push(path)
      else if (value && typeof value === 'object')
        for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key])
    }
    walk({ gates: document.gates, dependencies: document.dependencies }, [])
    fc.assert(
      fc.property(fc.constantFrom(...numbers), (path) => {
        const other = structuredClone(document) as unknown as Record<string, never>
        const parent = path
          .slice(0, -1)
          .reduce((node: Record<string, unknown>, key) => node[key] as Record<string, unknown>, other)
        parent[path.at(-1) as string] = -1
        const changes = diffPolicies(document, other as never)
        expect(changes).toHaveLength(1)
        expect(changes[0]?.path).toBe(path.join('.'))
        expect(changes[0]?.sentence).toContain('-1')
      }),
    )
  })
})

describe('what becomes of a lease that ended', () => {
  const change = (before: object, after: object) =>
    diffPolicies(policy({ tenants: before }), policy({ tenants: after })).map(({ sentence, tightens }) => [
      sentence,
      tightens,
    ])

  it('is told where it changes, with the over-admission that holding means', () => {
    expect(change({}, { holdSeconds: 30 })).toEqual([])
    expect(change({}, { expiry: 'hold', holdSeconds: 30 })).toEqual([
      [
        'An agent that is not answered uses a quota for 30 s after its lease has ended: up to twice the quota may pass meanwhile (before: its safe capacity of a quota whose lease has ended).',
        false,
      ],
    ])
    expect(change({ expiry: 'hold', holdSeconds: 30 }, { expiry: 'hold', holdSeconds: 10 })).toMatchObject([
      [expect.any(String), true],
    ])
    expect(change({ expiry: 'safe' }, { expiry: 'deny' })).toMatchObject([[expect.any(String), true]])
  })
})
