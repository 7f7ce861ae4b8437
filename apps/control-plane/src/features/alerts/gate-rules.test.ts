import type { AlertRuleName } from '@weir/api'
import { describe, expect, it } from 'vitest'
import type { Published } from './expectation.ts'
import { controlOf, GATE_RULES, type GateRuleName } from './gate-rules.ts'
import type { GateBucket, History } from './history.ts'
import { COLLAPSE, gate, KNOWN_PEAK, lasting, RULES } from './scenes.testkit.ts'
import { advance, type Subject } from './subject.ts'

const PUBLISHED: Published = { maxWaitMs: 300, limit: 20, reserved: ['critical'] }
const NAMES = Object.keys(GATE_RULES) as GateRuleName[]

/** `[seconds, what, rule]` of everything that happens to a gate with these buckets. */
const played = (buckets: History<GateBucket>, published: Published | null = PUBLISHED, rules = RULES) => {
  const subject: Subject<GateBucket> = { serviceId: 's', subject: 'checkout', until: 0, history: [], phases: new Map() }
  const all = new Map(
    [...buckets.entries()].flatMap(([i, bucket]) => (bucket === null ? [] : [[i * 5, bucket] as const])),
  )
  const { changes } = advance(subject, all, buckets.length * 5, {
    rules,
    names: NAMES,
    beganAt: -1_000_000,
    read: (name, history, phase) =>
      GATE_RULES[name as GateRuleName](
        { history, published, remembered: phase.firing?.figures ?? null },
        rules[name as 'collapse'] as never,
      ),
  })
  return changes
}
const happened = (buckets: History<GateBucket>, published: Published | null = PUBLISHED) =>
  played(buckets, published).flatMap((change): [number, string, AlertRuleName][] =>
    change.kind === 'worse' ? [] : [[change.at.getTime() / 1_000, change.kind, change.key.rule]],
  )
const raised = (buckets: History<GateBucket>, published: Published | null = PUBLISHED) =>
  happened(buckets, published)
    .filter(([, kind]) => kind === 'raise')
    .map(([, , rule]) => rule)

describe('a known peak that is shed under control', () => {
  it('wakes nobody, and is told as sustained shedding under control, once', () => {
    expect(happened(KNOWN_PEAK)).toEqual([
      [360, 'raise', 'sustained-shedding'],
      [665, 'resolve', 'sustained-shedding'],
    ])
    const [alert] = played(KNOWN_PEAK)
    expect(alert).toMatchObject({ severity: 'ticket', figures: { controlled: 1 } })
    expect(alert).toHaveProperty('summary', expect.stringContaining('Under control'))
  })

  it('wakes nobody either where it rises in steps, swings, or is offered in bursts', () => {
    const steps = [100, 200, 300, 450, 900, 300, 450].flatMap((offered) =>
      lasting(120, gate({ offered, goodput: Math.min(offered, 150) })),
    )
    const swing = Array.from({ length: 200 }, (_, i) => {
      const offered = i % 2 === 0 ? 50 : 600
      return gate({ offered, goodput: Math.min(offered, 150) })
    })
    for (const buckets of [steps, swing]) expect(raised(buckets)).not.toContain('collapse')
    for (const buckets of [steps, swing])
      expect(played(buckets).filter((change) => change.kind === 'raise' && change.severity === 'page')).toEqual([])
  })
})

describe('collapse', () => {
  it('is raised within 30 s of figures, with what is missing, and resolved once it is over', () => {
    const events = happened(COLLAPSE)
    const collapse = events.filter(([, , rule]) => rule === 'collapse')
    expect(collapse.map(([, kind]) => kind)).toEqual(['raise', 'resolve'])
    expect(collapse[0]?.[0]).toBeLessThanOrEqual(360 + 30)
    expect(collapse[1]?.[0]).toBeGreaterThan(660)
    expect(raised(COLLAPSE)).toEqual(
      expect.arrayContaining([
        'collapse',
        'completion-falling',
        'high-class-shedding',
        'queue-age',
        'sustained-shedding',
        'reserve-exhausted',
      ]),
    )
    const alert = played(COLLAPSE).find((change) => change.kind === 'raise' && change.key.rule === 'collapse')
    expect(alert).toMatchObject({ severity: 'page', figures: { offeredPerSecond: 450, goodputPerSecond: 15 } })
  })

  it('stays for as long as it lasts, past what is remembered of better times', () => {
    const long = [...lasting(300, gate()), ...lasting(1_800, gate({ offered: 300, goodput: 5 }))]
    expect(happened(long).filter(([, , rule]) => rule === 'collapse')).toHaveLength(1)
  })

  it('is seen without anything being refused: all of it late or failed', () => {
    expect(
      raised([...lasting(300, gate()), ...lasting(120, gate({ offered: 120, goodput: 10, refused: 0 }))]),
    ).toContain('collapse')
  })

  it('is not seen where load falls, work ends later than it came, or nothing is heard', () => {
    expect(raised([...lasting(300, gate({ offered: 400 })), ...lasting(300, gate({ offered: 5 }))])).toEqual([])
    expect(
      raised([
        ...lasting(300, null),
        ...lasting(20, gate({ offered: 100, goodput: 0, refused: 0 })),
        ...lasting(100, gate()),
      ]),
    ).toEqual([])
    expect(raised([...lasting(300, gate()), ...lasting(900, null), ...lasting(300, gate())])).toEqual([])
  })
})

describe('what was published', () => {
  const lowered = [
    ...lasting(300, gate({ offered: 140 })),
    ...lasting(300, gate({ offered: 140, goodput: 35, limit: 5 })),
  ]

  it('predicts the fall of goodput that a lower limit brings', () => {
    expect(raised(lowered, { ...PUBLISHED, limit: 5 })).toEqual(['sustained-shedding'])
  })

  it('does not excuse a fall that it does not predict', () => {
    expect(raised(lowered, { ...PUBLISHED, limit: 100 })).toContain('collapse')
  })

  it('predicts what quotas refuse, of high classes too', () => {
    const quota = gate({ offered: 150, goodput: 50, quotaRefused: 100, highRefused: 20 })
    expect(raised([...lasting(300, gate({ offered: 150 })), ...lasting(300, quota)])).toEqual(['sustained-shedding'])
  })

  it('says how old the queue may be', () => {
    const old = [...lasting(100, gate()), ...lasting(100, gate({ oldestAgeMs: 4_000 }))]
    expect(raised(old)).toEqual(['queue-age'])
    expect(raised(old, { ...PUBLISHED, maxWaitMs: 5_000 })).toEqual([])
  })

  it('names the classes whose reserve may be used up', () => {
    const refused = [...lasting(100, gate()), ...lasting(100, gate({ offered: 200, goodput: 150, highRefused: 2 }))]
    expect(raised(refused)).toEqual(['reserve-exhausted', 'sustained-shedding'])
    expect(raised(refused, { ...PUBLISHED, reserved: [] })).toEqual(['sustained-shedding'])
  })
})

it.each([
  ['controlled', gate({ offered: 450, goodput: 150, oldestAgeMs: 300 })],
  ['goodput-falls', gate({ offered: 450, goodput: 60 })],
  ['high-classes-shed', gate({ offered: 450, goodput: 150, highRefused: 30 })],
  ['queue-grows', gate({ offered: 450, goodput: 150, oldestAgeMs: 3_000 })],
] as const)('shedding is %s', (control, bucket) => {
  const history = [...lasting(300, gate({ offered: 150 })), ...lasting(60, bucket)]
  expect(controlOf({ history, published: PUBLISHED, remembered: null })).toBe(control)
})

it('shedding of a gate without a past is not called controlled', () => {
  const history = lasting(30, gate({ offered: 450, goodput: 150 }))
  expect(controlOf({ history, published: PUBLISHED, remembered: null })).toBe('unknown')
})

it('a rule that is switched off raises nothing', () => {
  const off = { ...RULES, collapse: { ...RULES.collapse, enabled: false } }
  expect(played(COLLAPSE, PUBLISHED, off).filter(({ key }) => key.rule === 'collapse')).toEqual([])
})
