import type { Verdict } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { beganWith, verdictClauses, verdictSentence } from './verdict-words.ts'

const SINCE = '2026-01-02T03:04:10.000Z'
const one = (more: Partial<Verdict>): Verdict => ({
  service: {
    environment: 'prod',
    name: 'orders',
    createdAt: SINCE,
    revision: 4,
    hash: null,
    policyVersion: 4,
    publishedAt: '2026-01-01T00:00:00.000Z',
    agents: { live: 2, applied: 2, refused: 0, pending: 0 },
    openAlerts: 0,
  },
  verdict: 'shedding',
  since: SINCE,
  heardAt: SINCE,
  offered: 360,
  goodput: 118,
  refused: 240,
  endedBadly: 0,
  goodputBefore: 118,
  oldestAgeMs: 0,
  signs: [],
  reason: { label: 'limit-reached', share: 0.82 },
  tenant: { label: 'acme', share: 0.5 },
  class: { label: 'sheddable', share: 0.9 },
  revision: { label: '4', share: 1 },
  highRefusedShare: 0,
  dependency: null,
  trend: { from: SINCE, step: 30, offered: [], goodput: [] },
  ...more,
})
const texts = (verdict: Verdict): string[] => verdictClauses(verdict).map(({ text }) => text)

describe('a verdict in words', () => {
  it('says of controlled shedding that goodput holds, and why, whose, which class and revision', () => {
    expect(verdictSentence(one({}))).toBe('Refuses 66.7 % of 360/s; goodput holds at 118/s')
    expect(texts(one({}))).toEqual(['All slots taken 82 %', 'Tenant acme 50 %', 'Class sheddable 90 %', 'Revision 4'])
  })

  it('says of collapse what was done before with no more work', () => {
    const fell = one({
      verdict: 'collapse',
      signs: ['goodput-falls', 'high-classes-refused'],
      goodput: 12,
      highRefusedShare: 0.31,
    })
    expect(verdictSentence(fell)).toBe('Goodput fell to 12/s; it was 118/s with no more work than now')
    expect(texts(fell)).toContain('Critical work loses 31 %')
    const bad = one({ verdict: 'collapse', signs: ['ends-badly'], endedBadly: 40, goodput: 9 })
    expect(verdictSentence(bad)).toBe('40/s of the accepted work ends late or failed; goodput 9/s')
  })

  it('names the version that the trouble began with, and only that near to it', () => {
    const at = (publishedAt: string) => ({ ...one({}), service: { ...one({}).service, publishedAt } })
    expect(beganWith(at('2026-01-02T03:04:15.000Z'))).toBe(4)
    expect(beganWith(at('2026-01-02T03:03:55.000Z'))).toBe(4)
    expect(beganWith(at('2026-01-02T03:04:30.000Z'))).toBeNull()
    expect(beganWith(at('2026-01-02T03:03:40.000Z'))).toBeNull()
    expect(texts(at('2026-01-02T03:04:15.000Z'))).toEqual([
      'Began when version 4 was published',
      'All slots taken 82 %',
      'Tenant acme 50 %',
      'Class sheddable 90 %',
    ])
  })

  it('names a dependency that answers slowly, fails or is held off, also where the service still stands', () => {
    const dependency = { name: 'bank', meanMs: 900, beforeMs: 50, failedShare: 0.3, refusedShare: 0.1, breakersOpen: 1 }
    expect(texts(one({ verdict: 'healthy', dependency }))).toEqual([
      'Dependency bank: breaker open, answers in 900 ms, before in 50 ms, 30 % of the calls fail',
    ])
  })

  it('tells silence from idleness', () => {
    expect(verdictSentence(one({ verdict: 'silent' }))).toBe('2 agents connected, but no figures come')
    expect(verdictSentence(one({ verdict: 'healthy', offered: 0, goodput: 0 }))).toBe('No work is offered at its gates')
  })
})
