import type { Criticality, RefusalSignal } from '@weir/policy/model'
import type { GateReason } from '@weir/wire/model'

/**
 * One unit that asks to run. Everything may be left out; what makes no sense has a meaning of its own and never throws.
 * All times are milliseconds.
 */
export interface Work {
  /** Whom the work is for: 1 to 128 bytes, no control characters; another text shares one account with all such. Left out or empty: no tenant. */
  readonly tenant?: string | undefined
  /** How much it matters. Left out or unknown: the policy's default class. Above the policy's `highest` only where `caller` is named. */
  readonly criticality?: Criticality | undefined
  /** Remaining time of its caller. Left out or NaN: the policy's default; 0 and less: it has expired; else clamped to the policy's bounds. */
  readonly deadlineMs?: number | undefined
  /** Units of the tenant's rate. Default 1; 0 draws none; negative or NaN is 1; at most 1,000,000. A slot is always one. */
  readonly cost?: number | undefined
  /** 1 for the first attempt. */
  readonly attempt?: number | undefined
  /** The peer service, where the host has authenticated it. */
  readonly caller?: string | undefined
  /** For people: warnings and spans. */
  readonly route?: string | undefined
  /** Aborted when the caller leaves. Heard by `acquire` while waiting and by `run` throughout; `tryAcquire` looks at it once. */
  readonly signal?: AbortSignal | undefined
  /** W3C trace context of the request: parent of its span, where it is sampled and no active span of the host's is nearer. */
  readonly traceparent?: string | undefined
}

/** A gate's reason, or `cancelled`: its caller had left, so nobody waits for an answer. */
export type RefusalReason = GateReason | 'cancelled'

/** A refusal is a value, frozen and shared: one of a table, never made for one decision. */
export interface Refusal {
  readonly accepted: false
  readonly gate: string
  readonly reason: RefusalReason
  readonly signal: RefusalSignal
  /** Jittered between the policy's bounds. */
  readonly retryAfterMs: number
  readonly revision: number
}

/**
 * The handle of accepted work. It ends once, by one of the four endings, when the handler *and* the response have ended; a second ending is counted
 * and does nothing. No method throws.
 */
export interface Permit {
  readonly accepted: true
  /** Whether it holds a slot: until it ends, or the gate takes the slot back. */
  readonly live: boolean
  /** Whether the cheaper variant is asked for. */
  readonly degraded: boolean
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Until the deadline; 0 when it has passed or the permit has ended. */
  readonly remainingMs: number
  /** Ended well: completed, or late at or after the deadline. A sample for the limit. */
  success(): void
  /** Ended badly: failed. Teaches nothing. */
  failure(): void
  /** Ended badly because something was overloaded: failed. Lowers an adaptive limit. */
  dropped(): void
  /** Finished work that teaches nothing, a 4xx for one: completed or late, but no goodput. */
  ignored(): void
  /** The caller left: books cancelled and fires `signal` at once. The slot stays taken, as a zombie, until an ending. */
  cancel(): void
}

export type Entry = Permit | Refusal
