import { ALERT_BUCKET_SECONDS } from '@weir/api'
import type { Reading } from './reading.ts'

/** An alert ends when it has been clear for this long, or for as long as it had to hold where that is longer. */
export const CLEAR_SECONDS = 15
/** Nothing heard leaves everything as it is, up to when silent agents are presumed dead; then it counts as clear. */
export const SILENT_SECONDS = 600
/** A worse value is worth telling from this much on. */
const WORSE = 1.05

/** Where one rule stands with one subject. */
export interface Phase {
  /** Above for so many seconds without a break. */
  readonly heldFor: number
  readonly clearFor: number
  readonly silentFor: number
  /** What fires: its worst value and what it remembers. */
  readonly firing: { readonly worst: number; readonly figures: Readonly<Record<string, number>> } | null
}

export const CALM: Phase = { heldFor: 0, clearFor: 0, silentFor: 0, firing: null }

export type PhaseEvent =
  | { readonly kind: 'raise'; readonly reading: Reading }
  | { readonly kind: 'worse'; readonly value: number }
  | { readonly kind: 'resolve' }

export const clearSeconds = (forSeconds: number): number => Math.max(CLEAR_SECONDS, forSeconds)

/** One bucket further. `null`: nothing was heard in it. */
export const step = (
  phase: Phase,
  forSeconds: number,
  reading: Reading | null,
): { readonly phase: Phase; readonly event: PhaseEvent | null } => {
  const silentFor = reading === null ? phase.silentFor + ALERT_BUCKET_SECONDS : 0
  if (reading === null && silentFor < SILENT_SECONDS) return { phase: { ...phase, silentFor }, event: null }
  return phase.firing === null
    ? whileCalm({ ...phase, silentFor }, forSeconds, reading)
    : whileFiring({ ...phase, silentFor }, forSeconds, reading, phase.firing)
}

const whileCalm = (phase: Phase, forSeconds: number, reading: Reading | null) => {
  if (reading === null || !reading.above) return { phase: { ...phase, heldFor: 0 }, event: null }
  const heldFor = phase.heldFor + ALERT_BUCKET_SECONDS
  if (heldFor < forSeconds) return { phase: { ...phase, heldFor }, event: null }
  const firing = { worst: reading.value, figures: reading.figures }
  return { phase: { ...CALM, firing }, event: { kind: 'raise', reading } as const }
}

const whileFiring = (
  phase: Phase,
  forSeconds: number,
  reading: Reading | null,
  firing: NonNullable<Phase['firing']>,
): { readonly phase: Phase; readonly event: PhaseEvent | null } => {
  if (reading === null || reading.clear) {
    const clearFor = phase.clearFor + ALERT_BUCKET_SECONDS
    return clearFor >= clearSeconds(forSeconds)
      ? { phase: CALM, event: { kind: 'resolve' } }
      : { phase: { ...phase, clearFor }, event: null }
  }
  const worse = reading.above && reading.value > firing.worst * WORSE
  const worst = worse ? reading.value : firing.worst
  return {
    phase: { ...phase, clearFor: 0, firing: { ...firing, worst } },
    event: worse ? { kind: 'worse', value: worst } : null,
  }
}
