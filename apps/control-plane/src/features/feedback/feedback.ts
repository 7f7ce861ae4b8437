import type { FeedbackPolicy } from '@weir/policy/model'
import type { Scales } from '@weir/wire'
import { look, type RuleState, ruleState } from './rule.ts'

/** What the rules see of the agents of one service, and do to them. */
export interface Fleet {
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
interface Reading {
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

interface Followed {
  state: RuleState
  consumers: number
  /** It has not looked yet: the share is what the agents say then, for they may have been told one by the control plane before. */
  fresh: boolean
}

/** The rules of all services: each looked at once in its step, from what agents reported. Nothing here has a timer; `beat` is called a few times a second. */
export class Feedback {
  private readonly byFleet = new Map<Fleet, Map<string, Followed>>()

  beat(fleets: Iterable<Fleet>, nowMs: number): void {
    const all = [...fleets]
    const there = new Set(all)
    for (const fleet of this.byFleet.keys()) if (!there.has(fleet)) this.byFleet.delete(fleet)
    const readings = new Map<string, Map<string, Reading>>()
    const readingOf = (environment: string, topic: string): Reading | undefined => {
      const made = readings.get(environment) ?? read(all, environment)
      readings.set(environment, made)
      return made.get(topic)
    }
    for (const fleet of all) this.follow(fleet, (topic) => readingOf(fleet.ref.environment, topic), nowMs)
  }

  statesOf(fleet: Fleet): FeedbackState[] {
    const followed = this.byFleet.get(fleet)
    return Object.entries(fleet.rules).map(([topic, rule]) => {
      const known = followed?.get(topic)
      const state = known === undefined || known.fresh ? ruleState(fleet.applied(rule.resource), 0) : known.state
      return { topic, rule, consumers: known?.consumers ?? 0, ...state }
    })
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
      const from = known.fresh ? { ...known.state, scale: fleet.applied(rule.resource) } : known.state
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

const read = (fleets: readonly Fleet[], environment: string): Map<string, Reading> => {
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
