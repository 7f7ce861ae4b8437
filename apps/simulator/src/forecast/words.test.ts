import type { Fate, GatePrediction, Prediction } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { compare, percent } from './words.ts'

const fate = (offered: number, shed: number): Fate => ({
  offered,
  accepted: offered - shed,
  shed,
  expired: 0,
  completed: offered - shed,
  late: 0,
  failed: 0,
})

const prediction = (gate: Partial<GatePrediction>): Prediction => ({
  gates: {
    checkout: {
      ...fate(1_000, 0),
      classes: {},
      tenants: {},
      reasons: {},
      latencyMs: { p50: 50, p90: 80, p99: 100 },
      waitMs: { p50: 0, p90: 0, p99: 0 },
      ...gate,
    },
  },
  arrivals: 1_000,
  seconds: 60,
  instances: { simulated: 1, of: 1 },
})
const said = (before: Partial<GatePrediction>, after: Partial<GatePrediction>) =>
  compare(prediction(before), prediction(after)).map(({ tone, sentence }) => [tone, sentence])

describe('the difference in words', () => {
  it('warns of much more shedding, and names the classes', () => {
    const classes = (critical: number, sheddable: number) => ({
      classes: { critical: fate(400, critical), sheddable: fate(600, sheddable) },
    })
    expect(said({ ...fate(1_000, 24), ...classes(0, 24) }, { ...fate(1_000, 196), ...classes(10, 186) })).toEqual([
      ['warning', 'checkout would shed 20 % of all work, where the live policy sheds 2.4 %.'],
      ['warning', 'checkout would shed 2.5 % of critical, where the live policy sheds none.'],
      ['warning', 'checkout would shed 31 % of sheddable, where the live policy sheds 4 %.'],
    ])
  })

  it('tells a little more from much more, and less from more', () => {
    expect(said(fate(1_000, 0), fate(1_000, 20))).toEqual([
      ['worse', 'checkout would shed 2 % of all work, where the live policy sheds none.'],
    ])
    expect(said(fate(1_000, 300), fate(1_000, 0))).toEqual([
      ['better', 'checkout would shed none of all work, where the live policy sheds 30 %.'],
    ])
  })

  it('counts work that expires as lost like work that is shed', () => {
    expect(said({}, { ...fate(1_000, 0), expired: 80, accepted: 920 })[0]?.[0]).toBe('warning')
  })

  it('names tenants that lose much more than the rest', () => {
    const tenants = (acme: number, zeta: number) => ({ tenants: { acme: fate(100, acme), zeta: fate(900, zeta) } })
    expect(said({ ...fate(1_000, 0), ...tenants(0, 0) }, { ...fate(1_000, 40), ...tenants(40, 0) })).toContainEqual([
      'worse',
      'checkout: tenant acme would lose 40 % of its work instead of 0 %.',
    ])
  })

  it('says when accepted work takes notably longer or shorter', () => {
    const p99 = (ms: number) => ({ latencyMs: { p50: 1, p90: 2, p99: ms } })
    expect(said(p99(100), p99(1_400))).toEqual([
      ['worse', 'checkout: 99 of 100 accepted would be done within 1.4 s instead of 100 ms.'],
    ])
    expect(said(p99(300), p99(100))[0]?.[0]).toBe('better')
    expect(said(p99(100), p99(110))[0]?.[0]).toBe('same')
  })

  it('says that nothing changes, and nothing of gates that nothing was offered to', () => {
    expect(said(fate(1_000, 31), fate(1_000, 33))).toEqual([
      ['same', 'checkout: no noticeable difference (3.3 % refused, p99 100 ms).'],
    ])
    expect(said(fate(0, 0), fate(0, 0))).toEqual([])
  })

  it('never rounds a share to none or to all', () => {
    expect([0, 0.0001, 0.031, 0.31, 0.996, 0.9999, 1].map(percent)).toEqual([
      '0 %',
      '0.1 %',
      '3.1 %',
      '31 %',
      '99.6 %',
      '99.9 %',
      '100 %',
    ])
  })
})
