import type { Decision, DecisionInputs } from '@weir/api'
import { DEPENDENCY_REASONS, GATE_REASONS } from '@weir/wire/model'
import { describe, expect, it } from 'vitest'
import { decisionSentence, inputsOf, settingOf } from './decision-words.ts'

const NONE: DecisionInputs = {
  limit: 40,
  inFlight: 40,
  waiting: 12,
  level: 2,
  remainingMs: 300,
  predictedWaitMs: null,
  maxWaitMs: null,
  delayMs: null,
  classUsed: null,
  classReserve: null,
  keptIdle: null,
  tenantHeld: null,
  tenantConcurrency: null,
  tenantTokens: null,
  cost: null,
}
const refused = (reason: string, inputs: Partial<DecisionInputs> = {}, more: Partial<Decision> = {}): Decision => ({
  id: '1',
  at: '2026-01-02T03:04:05.000Z',
  service: 'orders',
  instance: 'orders-1',
  kind: 'gate',
  name: 'checkout',
  outcome: 'shed',
  reason,
  rule: 'concurrency',
  signal: null,
  retryAfterMs: null,
  revision: 4,
  class: 'sheddable',
  tenant: 'acme',
  route: null,
  waitedMs: 0,
  standsFor: 1,
  traceId: '',
  inputs: { ...NONE, ...inputs },
  ...more,
})

describe('S3 why work was refused, in words', () => {
  it('says what was compared with what', () => {
    const said = [
      refused('class-shed', { classUsed: 9, classReserve: 4 }),
      refused('limit-reached', { maxWaitMs: 0 }),
      refused('would-be-late', { predictedWaitMs: 480 }),
      refused('would-be-late', { predictedWaitMs: 0, delayMs: 120, maxWaitMs: 100, remainingMs: 9_000 }),
      refused('queue-timeout', { maxWaitMs: 250 }, { waitedMs: 251 }),
      refused('tenant-rate', { tenantTokens: 0.2, cost: 1 }),
      refused('expired-in-queue', {}, { outcome: 'expired', waitedMs: 900 }),
    ].map(decisionSentence)
    expect(said).toEqual([
      'Shed: class sheddable is over its reserve at overload level 2: it held 9 slots, 4 are reserved for it (limit 40, in flight 40)',
      'Shed: all slots were taken (limit 40, in flight 40) and nobody may wait',
      'Shed: it would have waited 480 ms, and had 300 ms until its deadline',
      'Shed: it would have waited 0 ms and 120 ms for the event loop, and the queue lets nobody wait longer than 100 ms',
      'Shed: it waited 251 ms, and the queue lets nobody wait longer than 250 ms',
      'Shed: Tenant acme had 0.2 of its rate left, and the work costs 1',
      'Expired: its deadline passed after it had waited 900 ms',
    ])
  })

  it('has words of its own for every reason of the contract', () => {
    for (const reason of [...Object.keys(GATE_REASONS), ...Object.keys(DEPENDENCY_REASONS)])
      expect(decisionSentence(refused(reason)), reason).not.toBe(decisionSentence(refused('unheard of')))
  })

  it('names the setting that decided, as the document has it', () => {
    expect(settingOf(refused('limit-reached'))).toBe('gates.checkout.concurrency')
    expect(settingOf(refused('tenant-rate', {}, { rule: 'quota' }))).toBe('quota')
    expect(settingOf(refused('breaker-open', {}, { kind: 'dependency', name: 'bank', rule: 'breaker' }))).toBe(
      'dependencies.bank.breaker',
    )
  })

  it('lists everything that the decision read and leaves out what it did not ask', () => {
    expect(inputsOf(refused('limit-reached', { level: 0 }))).toEqual([
      ['Limit', '40'],
      ['In flight', '40'],
      ['Waiting', '12'],
      ['Overload level', '0'],
      ['Until its deadline', '300 ms'],
    ])
  })
})
