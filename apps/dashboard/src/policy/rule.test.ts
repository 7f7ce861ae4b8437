import { describe, expect, it } from 'vitest'
import { ruleOf } from './rule.ts'

const TEXT = `
gates:
  checkout:
    concurrency: 20
    queue: { order: adaptive }
    signals: { eventLoopDelayMs: { open: 60, close: 20 } }
  refunds: { resource: money }
dependencies:
  bank: { budget: { kind: ratio, share: 0.1 } }
`
const said = (kind: 'gate' | 'dependency', name: string) =>
  ruleOf(TEXT, kind, name)?.groups?.flatMap(({ title, settings }) =>
    settings.map(({ label, value, told }) => `${title}: ${label} ${value}${told ? '' : ' (default)'}`),
  )

describe('the rule of a gate', () => {
  it('has what the document says, and the defaults that a refusal is understood by', () => {
    expect(said('gate', 'checkout')).toEqual([
      'Gate: Mode enforce (default)',
      'Concurrency, per process: Algorithm fixed (default)',
      'Concurrency, per process: Limit 20 slots',
      'Queue: Longest wait 500 ms (default)',
      'Queue: Most waiting 1,000 items (default)',
      'Queue: Order adaptive',
      'Deadlines: Where the caller names none 10,000 ms (default)',
      'Signals of overload: eventLoopDelayMs: opens at 60',
      'Signals of overload: eventLoopDelayMs: closes at 20',
    ])
  })

  it('names the quotas that hold there', () => {
    expect([ruleOf(TEXT, 'gate', 'checkout')?.resource, ruleOf(TEXT, 'gate', 'refunds')?.resource]).toEqual([
      'checkout',
      'money',
    ])
  })

  it('of a dependency has the settings of its kind of budget', () => {
    expect(said('dependency', 'bank')).toEqual(
      expect.arrayContaining([
        'Retry budget: Share of requests 0.1',
        'Retry budget: Always allowed 10 per s (default)',
      ]),
    )
  })

  it('is none where the policy does not name it, and where the text cannot be read', () => {
    expect(ruleOf(TEXT, 'gate', 'bank')).toEqual({
      gates: ['checkout', 'refunds'],
      dependencies: ['bank'],
      groups: null,
      resource: null,
    })
    expect(ruleOf('gates: [', 'gate', 'checkout')).toBeNull()
  })
})
