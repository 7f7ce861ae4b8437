import type { Criticality } from '@weir/policy/model'

/** What a message says of itself. Everything may be left out; what makes no sense counts as left out. */
export interface Message {
  /** When it was made, milliseconds since 1970 by its producer's clock. Left out or NaN: it is as old as its delivery; in the future: it is new. */
  readonly madeAtMs?: number | undefined
  /** How long the broker keeps it for this consumer, milliseconds from now. Not begun by then: it is left, for the broker gives it to another. Default: no end. */
  readonly leaseMs?: number | undefined
  /** Whom the work is for. */
  readonly tenant?: string | undefined
  /** How much it matters. */
  readonly criticality?: Criticality | undefined
  /** Units of the tenant's rate. Default 1. */
  readonly cost?: number | undefined
}

/** What a handler sees of the message that it works on. */
export interface MessageContext {
  /** Aborted when the gate takes the slot back. */
  readonly signal: AbortSignal
  /** Whether the cheaper variant is asked for. */
  readonly degraded: boolean
  /** Milliseconds until the message is too old, within the gate's bounds of deadlines. */
  readonly remainingMs: number
  /** Of the message when its work began. */
  readonly ageMs: number
}

/** What became of a message: exactly one of these, told once. */
export type Fate<T> =
  /** The handler ended well. */
  | { readonly fate: 'done'; readonly value: T }
  /** The handler threw. */
  | { readonly fate: 'failed'; readonly error: unknown }
  /** It was too old when its turn came, and was never worked on: to be dead-lettered. */
  | { readonly fate: 'expired'; readonly ageMs: number }
  /** Nothing was done with it, and nothing may be said of it to the broker: its lease ended, or the consumer did. */
  | { readonly fate: 'left' }

/** Age of a message now, milliseconds, at least 0; NaN where it is not known. */
export const ageOf = (madeAtMs: number | undefined, wallMs: number): number =>
  typeof madeAtMs !== 'number' ? Number.NaN : Math.max(0, wallMs - madeAtMs)
