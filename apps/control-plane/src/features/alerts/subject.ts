import { ALERT_BUCKET_SECONDS, type AlertRuleName, type AlertRules, MOST_WINDOW_SECONDS } from '@weir/api'
import type { AlertChange, AlertKey } from './alert-book.ts'
import { LOOKBACK_SECONDS } from './expectation.ts'
import type { Buckets } from './figures-feed.ts'
import { bucketsOf, type History } from './history.ts'
import { CALM, clearSeconds, type Phase, type PhaseEvent, step } from './phase.ts'
import type { Reading } from './reading.ts'

/** Buckets that a rule may look back over, of the longest window and look-back together. */
const HISTORY_BUCKETS = bucketsOf(LOOKBACK_SECONDS + MOST_WINDOW_SECONDS)

/** One gate, dependency, tenant or service, and where its rules stand. Never changed: a round makes a new one, which holds once its alerts are written. */
export interface Subject<B> {
  readonly serviceId: string
  readonly subject: string
  /** The first second after the newest bucket of the history. */
  readonly until: number
  readonly history: History<B>
  readonly phases: ReadonlyMap<AlertRuleName, Phase>
}

export interface Judging<B> {
  readonly rules: AlertRules
  /** Rules of this kind of subject, and what they say of its buckets so far. */
  readonly names: readonly AlertRuleName[]
  readonly read: (name: AlertRuleName, history: History<B>, phase: Phase) => Reading
  /** Nothing is judged before: what was above for just as long as a rule says is raised at the end of the first round, what is over is not. */
  readonly beganAt: number
  /** What has held is in the reading already. */
  readonly instant?: boolean
}

/** Takes the buckets up to `to` and judges each. What was not heard is a gap. */
export const advance = <B>(
  subject: Subject<B>,
  buckets: Buckets<B> | undefined,
  to: number,
  judging: Judging<B>,
): { readonly subject: Subject<B>; readonly changes: readonly AlertChange[] } => {
  const history = [...subject.history]
  const phases = new Map(subject.phases)
  const changes: AlertChange[] = []
  for (let second = subject.until; second < to; second += ALERT_BUCKET_SECONDS) {
    const bucket = buckets?.get(second) ?? null
    history.push(bucket)
    let judged: History<B> | null = null
    for (const name of judging.names) {
      const rule = judging.rules[name]
      const phase = phases.get(name) ?? CALM
      const holds = judging.instant === true ? ALERT_BUCKET_SECONDS : rule.forSeconds
      const hold = phase.firing === null ? holds : clearSeconds(holds)
      if (second <= judging.beganAt - hold) continue
      judged ??= history.slice(-HISTORY_BUCKETS)
      const key = { serviceId: subject.serviceId, rule: name, subject: subject.subject }
      const reading = bucket === null ? null : judging.read(name, judged, phase)
      const next = rule.enabled ? step(phase, holds, reading) : switchedOff(phase)
      phases.set(name, next.phase)
      if (next.event !== null) changes.push(changeOf(key, next.event, judging.rules, second))
    }
  }
  const until = Math.max(subject.until, to)
  return { subject: { ...subject, until, history: history.slice(-HISTORY_BUCKETS), phases }, changes }
}

/** Nothing of it was heard for as long as anything is kept, and nothing fires: a name that went away. */
export const isForgotten = ({ history, phases }: Subject<unknown>): boolean =>
  history.length >= HISTORY_BUCKETS &&
  history.every((bucket) => bucket === null) &&
  [...phases.values()].every(({ firing }) => firing === null)

const switchedOff = (phase: Phase): { phase: Phase; event: PhaseEvent | null } => ({
  phase: CALM,
  event: phase.firing === null ? null : { kind: 'resolve' },
})

const changeOf = (key: AlertKey, event: PhaseEvent, rules: AlertRules, second: number): AlertChange => {
  const at = new Date((second + ALERT_BUCKET_SECONDS) * 1_000)
  if (event.kind === 'resolve') return { kind: 'resolve', key, at }
  if (event.kind === 'worse') return { kind: 'worse', key, value: event.value }
  const { severity, forSeconds } = rules[key.rule]
  const { value, threshold, summary, figures } = event.reading
  return { kind: 'raise', key, severity, value, threshold, forSeconds, summary, figures, at }
}
