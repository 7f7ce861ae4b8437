import { type GatePolicy, REFUSAL_SIGNALS } from '@weir/policy/model'
import { GATE_REASONS } from '@weir/wire/model'
import type { Random } from '../core/clock.ts'
import type { Attempts } from './attempts.ts'
import { REASONS, SHORT_OF_ROOM } from './reasons.ts'
import type { Refusal } from './work.ts'

/** Jittered Retry-After steps per reason and signal: enough to spread a herd, few enough to make beforehand. */
const STEPS = 16

const SIGNALS = REFUSAL_SIGNALS.length
/** By the number of the reason. */
const OWN_SIGNAL = REASONS.map((reason) => REFUSAL_SIGNALS.indexOf(GATE_REASONS[reason].signal))

type Row = readonly Refusal[]

/**
 * The refusals of one gate and revision: reason x signal x 16 jittered Retry-After steps, frozen, a row made when first used.
 * Steps are handed out in turn: one draw in each sixteenth of [minMs, maxMs], in random order.
 */
export class RefusalTable {
  readonly #gate: string
  readonly #revision: number
  /** By reason and signal, both by number. */
  readonly #rows: (Row | undefined)[] = new Array(REASONS.length * SIGNALS).fill(undefined)
  readonly #retryAfterMs: readonly number[]
  readonly #attempts: Attempts
  /** The caller left: there is nobody to answer. */
  readonly cancelled: Refusal
  #turn = 0

  constructor(
    gate: string,
    revision: number,
    retryAfter: GatePolicy['retryAfter'],
    random: Random,
    attempts: Attempts,
  ) {
    this.#attempts = attempts
    this.#gate = gate
    this.#revision = revision
    this.#retryAfterMs = jittered(retryAfter, random)
    this.cancelled = Object.freeze({
      accepted: false,
      gate,
      reason: 'cancelled',
      signal: 'stop',
      retryAfterMs: 0,
      revision,
    })
  }

  /** Says the reason's own signal; for want of room what the callers' attempts say of the pool. */
  next(reason: number): Refusal {
    const signal = SHORT_OF_ROOM[reason] ? this.#attempts.said : (OWN_SIGNAL[reason] ?? 0)
    const row = this.#rows[reason * SIGNALS + signal] ?? this.#make(reason, signal)
    this.#turn = (this.#turn + 1) % STEPS
    return row[this.#turn] as Refusal
  }

  #make(reason: number, signal: number): Row {
    const word = REASONS[reason] ?? 'limit-reached'
    const row = this.#retryAfterMs.map((retryAfterMs) =>
      Object.freeze({
        accepted: false,
        gate: this.#gate,
        reason: word,
        signal: REFUSAL_SIGNALS[signal] ?? 'later',
        retryAfterMs,
        revision: this.#revision,
      } as const),
    )
    this.#rows[reason * SIGNALS + signal] = row
    return row
  }
}

const jittered = ({ minMs, maxMs }: GatePolicy['retryAfter'], random: Random): number[] => {
  const steps = Array.from({ length: STEPS }, (_, i) => Math.round(minMs + ((maxMs - minMs) * (i + random())) / STEPS))
  for (let i = STEPS - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const kept = steps[i] ?? minMs
    steps[i] = steps[j] ?? minMs
    steps[j] = kept
  }
  return steps
}
