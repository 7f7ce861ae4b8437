import type { FeedbackPolicy } from '@weir/policy/model'
import type { Scales } from '@weir/wire'
import { look, type RuleState, ruleState } from './rule.ts'

/** What the rules see of the agents of one service, and do to them. */
export interface Fleet {
  readonly serviceId: string
  /** What the rules said last; `null`: nothing yet. */
  readonly scales: Scales | null
  readonly ref: { readonly environment: string; readonly service: string }
  /** By topic, of the policy in force; the same object for as long as it is. */
  readonly rules: Readonly<Record<string, FeedbackPolicy>>
  /** How often its agents report, milliseconds. */
  readonly reportMs: number
  /** What its agents that are there report of the topics that they consume. */
  consumers(): Iterable<{ readonly topic: string; readonly lagMs: number | null }>
  /** The least share that one of its agents applies to a resource, 0..1. */
  applied(resource: string): number
  scale(scales: Scales): void
}

/** How far the consumers of a topic are behind, all services of an environment together. */
export interface Reading {
  /** `null`: no consumer knows. */
  lagSeconds: number | null
  consumers: number
  /** How often the slowest of them reports, milliseconds. */
  reportMs: number
}

/** Where the rule of one topic stands, for people. */
export interface FeedbackState extends RuleState {
  readonly topic: string
  readonly rule: FeedbackPolicy
  /** Gates and processes that consume the topic, as reported. */
  readonly consumers: number
}

/** What other replicas say of the rules and of their agents. */
export interface FeedbackElsewhere {
  /** Whether this replica looks at the rules of the service, or does what another one says. */
  looksAt(fleet: Fleet): boolean
  readings(environment: string): Iterable<readonly [topic: string, reading: Reading]>
  /** The least share that agents there apply to a resource, 0..1. */
  applied(fleet: Fleet, resource: string): number
  /** `null`: nobody says anything. */
  told(fleet: Fleet): { readonly scales: Scales; readonly states: readonly ToldState[] } | null
}

type ToldState = Pick<FeedbackState, 'topic' | 'consumers' | 'scale' | 'phase' | 'lagSeconds'>

/** Where there is one replica. */
export const NOTHING_ELSEWHERE: FeedbackElsewhere = {
  looksAt: () => true,
  readings: () => [],
  applied: () => 1,
  told: () => null,
}

interface Followed {
  state: RuleState
  consumers: number
  /** It has not looked yet: the share is what the agents say then, for they may have been told one by the control plane before. */
  fresh: boolean
}

/** The rules of all services: each looked at once in its step, from what agents reported. Nothing here has a timer; `beat` is called a few times a second. */
export class Feedback {
  private readonly byFleet = new Map<Fleet, Map<string, Followed>>()

  constructor(private readonly elsewhere: FeedbackElsewhere = NOTHING_ELSEWHERE) {}

  beat(fleets: Iterable<Fleet>, nowMs: number): void {
    const all = [...fleets]
    const there = new Set(all)
    for (const fleet of this.byFleet.keys()) if (!there.has(fleet)) this.byFleet.delete(fleet)
    const readings = new Map<string, Map<string, Reading>>()
    const readingOf = (environment: string, topic: string): Reading | undefined => {
      const made = readings.get(environment) ?? this.read(all, environment)
      readings.set(environment, made)
      return made.get(topic)
    }
    for (const fleet of all)
      if (this.elsewhere.looksAt(fleet)) this.follow(fleet, (topic) => readingOf(fleet.ref.environment, topic), nowMs)
      else this.obey(fleet)
  }

  statesOf(fleet: Fleet): FeedbackState[] {
    const followed = this.byFleet.get(fleet)
    const told = this.elsewhere.looksAt(fleet) ? null : this.elsewhere.told(fleet)
    return Object.entries(fleet.rules).map(([topic, rule]) => {
      const known = followed?.get(topic)
      const state = known === undefined || known.fresh ? ruleState(this.applied(fleet, rule.resource), 0) : known.state
      const there = told?.states.find((each) => each.topic === topic)
      return { topic, rule, consumers: known?.consumers ?? 0, ...state, ...there }
    })
  }

  /** Another replica looks; should it go, this one begins where the agents are. */
  private obey(fleet: Fleet): void {
    this.byFleet.delete(fleet)
    const told = this.elsewhere.told(fleet)
    if (told !== null) fleet.scale(told.scales)
  }

  private applied(fleet: Fleet, resource: string): number {
    return Math.min(fleet.applied(resource), this.elsewhere.applied(fleet, resource))
  }

  private read(fleets: readonly Fleet[], environment: string): Map<string, Reading> {
    const readings = readingsOf(fleets, environment)
    for (const [topic, there] of this.elsewhere.readings(environment)) {
      const here = readings.get(topic)
      readings.set(topic, here === undefined ? there : both(here, there))
    }
    return readings
  }

  private follow(fleet: Fleet, readingOf: (topic: string) => Reading | undefined, nowMs: number): void {
    const rules = Object.entries(fleet.rules)
    const before = this.byFleet.get(fleet)
    if (rules.length === 0) {
      this.byFleet.delete(fleet)
      fleet.scale({})
      return
    }
    const followed = new Map<string, Followed>()
    let looked = [...(before?.keys() ?? [])].some((topic) => !Object.hasOwn(fleet.rules, topic))
    for (const [topic, rule] of rules) {
      const known = before?.get(topic)
      if (known === undefined) {
        followed.set(topic, { state: ruleState(1, nowMs), consumers: 0, fresh: true })
        continue
      }
      followed.set(topic, known)
      if (nowMs - known.state.atMs < rule.stepSeconds * 1_000) continue
      const reading = readingOf(topic)
      known.consumers = reading?.consumers ?? 0
      // Two looks at one report would count it twice.
      if (reading !== undefined && nowMs - known.state.atMs < reading.reportMs) continue
      const from = known.fresh ? { ...known.state, scale: this.applied(fleet, rule.resource) } : known.state
      known.fresh = false
      known.state = look(from, reading?.lagSeconds ?? null, rule, nowMs)
      looked = true
    }
    this.byFleet.set(fleet, followed)
    if (looked) fleet.scale(scalesOf(fleet.rules, followed))
  }
}

/** The smallest share of each resource, where several topics move it. */
const scalesOf = (rules: Fleet['rules'], followed: ReadonlyMap<string, Followed>): Scales => {
  const scales: Record<string, number> = {}
  for (const [topic, { state }] of followed) {
    const resource = rules[topic]?.resource
    if (resource !== undefined && state.scale < (scales[resource] ?? 1)) scales[resource] = state.scale
  }
  return scales
}

const both = (a: Reading, b: Reading): Reading => ({
  lagSeconds:
    a.lagSeconds === null || b.lagSeconds === null
      ? (a.lagSeconds ?? b.lagSeconds)
      : Math.max(a.lagSeconds, b.lagSeconds),
  consumers: a.consumers + b.consumers,
  reportMs: Math.max(a.reportMs, b.reportMs),
})

/** What these fleets' own agents say of each topic. */
export const readingsOf = (fleets: readonly Fleet[], environment: string): Map<string, Reading> => {
  const readings = new Map<string, Reading>()
  for (const fleet of fleets) {
    if (fleet.ref.environment !== environment) continue
    for (const { topic, lagMs } of fleet.consumers()) {
      const reading = readings.get(topic) ?? { lagSeconds: null, consumers: 0, reportMs: 0 }
      readings.set(topic, reading)
      reading.consumers++
      reading.reportMs = Math.max(reading.reportMs, fleet.reportMs)
      if (lagMs !== null) reading.lagSeconds = Math.max(reading.lagSeconds ?? 0, lagMs / 1_000)
    }
  }
  return readings
}
