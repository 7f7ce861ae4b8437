import type { Outcomes } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { instanceRows, type Seen } from './spread.ts'

const figures = (offered: number, p99: number, shed = 0, failed = 0) => ({
  offered: [offered * 10, null],
  completed: [(offered - shed - failed) * 10, null],
  shed: [shed * 10, null],
  failed: [failed * 10, null],
  p99: [p99, null],
})
const outcomes = (series: Record<string, Outcomes['series'][number]['figures']>): Outcomes => ({
  kind: 'gate',
  from: '',
  to: '',
  step: 10,
  groupBy: 'instance',
  series: Object.entries(series).map(([label, figures]) => ({ label, figures })),
  totals: {},
  skewed: 0,
})
const gate = (name: string, active: number) => ({
  name,
  mode: 'enforce' as const,
  limit: 10,
  active,
  zombies: 1,
  waiting: 0,
  oldestAgeMs: 0,
  level: 0,
})
const seen = (instance: string, more: Partial<Seen> = {}): Seen => ({
  instance,
  presence: 'live',
  gates: [],
  dependencies: [],
  modeOverride: null,
  appliedRevision: 1,
  intendedRevision: 1,
  status: 'applied',
  ...more,
})

describe('processes beside each other', () => {
  it('the one that is unlike the others comes first and says in what', () => {
    const rows = instanceRows(
      outcomes({ a: figures(20, 0.05), b: figures(20, 0.06), c: figures(8, 0.4, 4, 2), d: figures(21, 0.05) }),
      [],
      null,
    )
    expect(rows.map(({ instance, oddities }) => [instance, oddities])).toEqual([
      [
        'c',
        [
          'p99 8 × the median',
          'offered 0.4 × the median',
          'refuses more than the others',
          'fails more than the others',
        ],
      ],
      ['d', []],
      ['a', []],
      ['b', []],
    ])
    expect(rows[0]).toMatchObject({
      offered: 8,
      goodput: 2,
      refusedShare: 0.5,
      failedShare: 0.5,
      p99: 0.4,
      of: { offered: 21, p99: 0.4 },
    })
  })

  it('two are no crowd', () => {
    expect(
      instanceRows(outcomes({ a: figures(20, 0.05), b: figures(1, 9) }), [], null).every(
        ({ oddities }) => oddities.length === 0,
      ),
    ).toBe(true)
  })

  it('has the slots of the newest bucket that says and is over', () => {
    const slots = (of: object) => instanceRows(outcomes({ a: { ...figures(1, 1), ...of } }), [], null)[0]?.slots
    expect(slots({ limit: [10, 20, null, 7], active: [3, 4, null, 1], zombies: [0, 1, null, 0] })).toEqual({
      inFlight: 5,
      limit: 20,
    })
    expect(slots({ ceiling: [7, null], inFlight: [2, null] })).toEqual({ inFlight: 2, limit: 7 })
    expect(slots({})).toBeNull()
  })

  it('what the store summed of the rest is last, and makes nobody unlike', () => {
    const alike = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, figures(10, 0.05)]))
    const rows = instanceRows(outcomes({ other: figures(900, 0.9), ...alike }), [], null)
    expect(rows.map(({ instance, rest, oddities }) => [instance, rest, oddities.length])).toEqual([
      ['a', false, 0],
      ['b', false, 0],
      ['c', false, 0],
      ['other', true, 0],
    ])
    expect(rows[0]?.of.offered).toBe(10)
  })

  it('one that reports without figures is there, with a gap and its revision', () => {
    const agents = [
      seen('a', { gates: [gate('x', 1)] }),
      seen('b', { gates: [gate('x', 1)], appliedRevision: 1, intendedRevision: 2, status: 'pending' }),
      seen('c', { gates: [gate('y', 1)] }),
      seen('d', { gates: [gate('x', 1)], presence: 'lost' }),
    ]
    const rows = instanceRows(outcomes({ a: figures(1, 1), e: figures(1, 1) }), agents, { kind: 'gate', name: 'x' })
    expect(rows.map(({ instance, offered, oddities }) => [instance, offered, oddities])).toEqual([
      ['b', null, ['runs another revision']],
      ['a', 1, []],
      ['e', 1, []],
    ])
  })

  it('while none has the new revision yet, they are alike', () => {
    const behind: Partial<Seen> = { gates: [gate('x', 1)], intendedRevision: 2, status: 'pending' }
    const agents = ['a', 'b', 'c'].map((instance) => seen(instance, behind))
    const unlike = (of: readonly Seen[]) =>
      instanceRows(outcomes({}), of, null).filter(({ oddities }) => oddities.length > 0)
    expect(unlike(agents)).toHaveLength(0)
    expect(unlike([...agents, seen('d', { gates: [gate('x', 1)] })])).toHaveLength(3)
  })

  it('has the slots that the agent reported rather than those of its figures, of the chosen gate or dependency', () => {
    const bank = { name: 'bank', ceiling: 7, inFlight: 2, breaker: 'open', breakerMode: 'auto', budgetLeft: 1 } as const
    const agents = [seen('a', { gates: [gate('x', 3), gate('y', 4)], dependencies: [bank] })]
    const old = { limit: [99, null], active: [1, null] }
    const of = (...subject: Parameters<typeof instanceRows>[2][]) =>
      subject.map((one) => instanceRows(outcomes({ a: { ...figures(1, 1), ...old } }), agents, one)[0]?.slots)
    expect(of(null, { kind: 'gate', name: 'y' }, { kind: 'gate', name: 'z' }, bankSubject)).toEqual([
      { inFlight: 9, limit: 20 },
      { inFlight: 5, limit: 10 },
      { inFlight: 1, limit: 99 },
      { inFlight: 2, limit: 7 },
    ])
  })

  it('reads calls where there are calls', () => {
    const calls = { calls: [100], completed: [60], failed: [20], shed: [20], p99: [0.1] }
    expect(instanceRows(outcomes({ a: calls }), [], bankSubject)[0]).toMatchObject({
      offered: 10,
      goodput: 6,
      refusedShare: 0.2,
      failedShare: 0.25,
    })
  })
})

const bankSubject = { kind: 'dependency', name: 'bank' } as const
