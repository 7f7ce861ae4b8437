import type { RefusalSignal } from '@weir/policy/model'
import { WeirRefusal } from './refusal.ts'

/** How one attempt ended: with a value, or with an error. */
export type AttemptEnd<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

/**
 * What an attempt's end means.
 *
 * | kind | breaker | throttle | retry |
 * |---|---|---|---|
 * | success | success | accepted | - |
 * | neutral: the caller's own error, a 4xx | nothing | accepted | never |
 * | failure | failure | not accepted | where `retryable` |
 * | refused: the callee said so with a type (Weir signal, 429, RESOURCE_EXHAUSTED) | nothing | not accepted | unless `stop` |
 */
export interface Verdict {
  readonly kind: 'success' | 'neutral' | 'failure' | 'refused'
  readonly retryable: boolean
  /** What the callee asked for; `stop` forbids a retry whatever the kind. */
  readonly signal: RefusalSignal | null
  /** Least wait before a retry that the callee named, milliseconds; `null` = our own backoff. */
  readonly waitMs: number | null
  /** Wait `waitMs` exactly, with no jitter on top, and start the backoff anew: a gRPC pushback. */
  readonly exact: boolean
  /** How often a lower layer retried already; more than 0 forbids a retry here. */
  readonly retried: number
}

const KINDS: ReadonlySet<unknown> = new Set<Verdict['kind']>(['success', 'neutral', 'failure', 'refused'])
const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** A verdict of the host's making with numbers that can be reckoned with. @throws {TypeError} where it is none, a promise of one for instance. */
export const soundVerdict = (given: Verdict): Verdict => {
  if (typeof given !== 'object' || given === null || !KINDS.has(given.kind))
    throw new TypeError('classify must return a verdict at once: its kind is success, neutral, failure or refused.')
  const { waitMs, retried } = given
  if (isAmount(retried) && (waitMs === null || isAmount(waitMs))) return given
  return { ...given, waitMs: isAmount(waitMs) ? waitMs : null, retried: isAmount(retried) ? retried : 0 }
}

const plain = (kind: Verdict['kind'], retryable: boolean): Verdict => ({
  kind,
  retryable,
  signal: null,
  waitMs: null,
  exact: false,
  retried: 0,
})

export const SUCCESS: Verdict = plain('success', false)
export const NEUTRAL: Verdict = plain('neutral', false)
/** A failure that a retry might heal. */
export const FAILURE: Verdict = plain('failure', true)
/** A failure that would be the same again. */
export const FINAL_FAILURE: Verdict = plain('failure', false)

/** A typed refusal of the callee. */
export const refused = (signal: RefusalSignal, waitMs: number | null = null, retried = 0): Verdict => ({
  kind: 'refused',
  retryable: signal !== 'stop',
  signal,
  waitMs,
  exact: false,
  retried,
})

/** The meaning of an error that nobody classified: a refusal made in this process is neutral, anything else a failure. */
export const classifyError = (error: unknown): Verdict => (error instanceof WeirRefusal ? NEUTRAL : FAILURE)
