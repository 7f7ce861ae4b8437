import type { AlertRule } from '@weir/api'

/** The share is taken over this many seconds: one second of bad luck is no shedding, one quiet second no recovery. */
export const WINDOW_SECONDS = 5
/** With less offered in the window a share says nothing; it counts as not shedding. */
export const MIN_OFFERED = 10
/** Nothing heard leaves everything as it is, up to when silent agents are presumed dead; then it counts as not shedding. */
export const SILENT_SECONDS = 600
/** A higher peak is worth telling from this much on. */
const PEAK_STEP = 0.01

/** One second of a service. */
export interface Heard {
  readonly offered: number
  /** Shed and expired. */
  readonly refused: number
}

export type Phase =
  | { readonly kind: 'calm' }
  /** Above the rule's share for so many heard seconds. */
  | { readonly kind: 'pending'; readonly aboveFor: number }
  | { readonly kind: 'firing'; readonly peakShare: number; readonly belowFor: number }

export interface Watch {
  readonly phase: Phase
  /** The last seconds, oldest first; `null`: not heard. */
  readonly window: readonly (Heard | null)[]
  readonly silentFor: number
}

export type AlertEvent =
  | { readonly kind: 'raised'; readonly share: number }
  | { readonly kind: 'peaked'; readonly peakShare: number }
  | { readonly kind: 'resolved'; readonly peakShare: number }

export interface Step {
  readonly watch: Watch
  readonly event: AlertEvent | null
}

export const CALM: Watch = { phase: { kind: 'calm' }, window: [], silentFor: 0 }

/** A watch over an alert that was raised before. */
export const firing = (peakShare: number): Watch => ({ ...CALM, phase: { kind: 'firing', peakShare, belowFor: 0 } })

/** (shed + expired) / offered over the window; `null` below the minimum volume. */
const shareOf = (window: readonly (Heard | null)[]): number | null => {
  let offered = 0
  let refused = 0
  for (const second of window) {
    offered += second?.offered ?? 0
    refused += second?.refused ?? 0
  }
  return offered >= MIN_OFFERED ? refused / offered : null
}

/**
 * One second further. Raised when the share was above the rule's (strictly: a rule of 10 % allows 10 %) for `forSeconds` heard seconds without one
 * below, in a second that is itself above (the window's memory of what is over raises nothing); resolved when the share was not above for as many.
 * Everything else keeps the alert: it is raised once.
 */
export const step = (watch: Watch, rule: AlertRule, heard: Heard | null): Step => {
  const window = [...watch.window, heard].slice(-WINDOW_SECONDS)
  const silentFor = heard === null ? watch.silentFor + 1 : 0
  if (heard === null && silentFor < SILENT_SECONDS) return { watch: { ...watch, window, silentFor }, event: null }
  const share = heard === null ? null : shareOf(window)
  const above = share !== null && share > rule.share ? share : null
  const stillSheds = heard !== null && heard.refused > rule.share * heard.offered
  const { phase, event } = next(watch.phase, rule, above, stillSheds)
  return { watch: { phase, window, silentFor }, event }
}

const next = (
  phase: Phase,
  rule: AlertRule,
  above: number | null,
  stillSheds: boolean,
): { phase: Phase; event: AlertEvent | null } => {
  if (phase.kind === 'firing') return whileFiring(phase, rule, above)
  if (above === null) return { phase: { kind: 'calm' }, event: null }
  const aboveFor = (phase.kind === 'pending' ? phase.aboveFor : 0) + 1
  if (aboveFor < rule.forSeconds || !stillSheds) return { phase: { kind: 'pending', aboveFor }, event: null }
  return { phase: { kind: 'firing', peakShare: above, belowFor: 0 }, event: { kind: 'raised', share: above } }
}

const whileFiring = (
  phase: Extract<Phase, { kind: 'firing' }>,
  rule: AlertRule,
  above: number | null,
): { phase: Phase; event: AlertEvent | null } => {
  const { peakShare } = phase
  if (above === null) {
    const belowFor = phase.belowFor + 1
    if (belowFor >= rule.forSeconds) return { phase: { kind: 'calm' }, event: { kind: 'resolved', peakShare } }
    return { phase: { ...phase, belowFor }, event: null }
  }
  if (above <= peakShare || above < Math.min(1, peakShare + PEAK_STEP))
    return { phase: { ...phase, belowFor: 0 }, event: null }
  return { phase: { kind: 'firing', peakShare: above, belowFor: 0 }, event: { kind: 'peaked', peakShare: above } }
}
