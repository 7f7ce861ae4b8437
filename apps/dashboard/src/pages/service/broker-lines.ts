import type { Agent, FeedbackRow } from '@weir/api'
import { duration, plural, share } from '../../format/numbers.ts'

/** One gate and topic over all live processes. */
export interface Consumed {
  readonly gate: string
  readonly topic: string
  /** The longest; `null`: no process knows. */
  readonly lagSeconds: number | null
  readonly inHand: number
  readonly running: number
  /** Processes that fetch no more, of so many. */
  readonly paused: number
  readonly processes: number
}

export const consumedBy = (agents: readonly Pick<Agent, 'presence' | 'consumers'>[]): Consumed[] => {
  const found = new Map<string, Consumed>()
  for (const { presence, consumers } of agents) {
    if (presence !== 'live') continue
    for (const { gate, topic, lagMs, inHand, running, paused } of consumers) {
      const key = JSON.stringify([topic, gate])
      const before = found.get(key) ?? { gate, topic, lagSeconds: null, inHand: 0, running: 0, paused: 0, processes: 0 }
      found.set(key, {
        ...before,
        lagSeconds: lagMs === null ? before.lagSeconds : Math.max(before.lagSeconds ?? 0, lagMs / 1_000),
        inHand: before.inHand + inHand,
        running: before.running + running,
        paused: before.paused + Number(paused),
        processes: before.processes + 1,
      })
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** What a rule does now, and why, in words. */
export const ruleSentence = (row: FeedbackRow): { readonly state: string; readonly why: string } => {
  const { topic, resource, phase, scale, lagSeconds, consumers, openSeconds, closeSeconds, binds } = row
  const part = `Quotas of ${resource} at ${share(scale)}`
  const state = {
    whole: `Quotas of ${resource} whole`,
    cutting: `${part}, falling`,
    holding: `${part}, held`,
    returning: `${part}, coming back`,
    unknown: `${part}, held`,
  }[phase]
  const lag =
    lagSeconds === null
      ? `no consumer of ${topic} says how far it is behind`
      : `${plural(consumers, 'consumer')} of ${topic}, ${duration(lagSeconds)} behind`
  const unbound = binds ? '' : ` No quota of ${resource} is set, so the rule binds nobody.`
  return { state, why: `${lag}; smaller from ${duration(openSeconds)}, back from ${duration(closeSeconds)}.${unbound}` }
}
