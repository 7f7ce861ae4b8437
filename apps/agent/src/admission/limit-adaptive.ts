import { type ConcurrencyPolicy, gradientOf } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'
import type { Limit } from './limit.ts'
import { Baseline } from './limit-baseline.ts'
import { type AdaptiveAlgorithm, bounded, guarded, type LimitStep, recovering, STEPS } from './limit-steps.ts'
import { FEWEST, SampleWindow } from './limit-window.ts'
import type { Pressure } from './options.ts'

/** A change of a limit, with all that decided it. Times in milliseconds; NaN where nothing was seen. */
export interface LimitChange {
  readonly algorithm: AdaptiveAlgorithm
  /** Whether it is the limit of a shadow, which decides nothing. */
  readonly shadow: boolean
  readonly from: number
  readonly to: number
  readonly windowMs: number
  readonly samples: number
  readonly overruns: number
  readonly drops: number
  readonly medianMs: number
  readonly baselineMs: number
  readonly gradient: number
  /** In flight in the window: on average, and at most. */
  readonly inFlight: number
  readonly peak: number
  readonly waited: boolean
  readonly level: number
}

export type LimitListener = (change: LimitChange) => void

/** An adaptive algorithm and its bounds. */
export interface AdaptivePolicy extends ConcurrencyPolicy {
  readonly algorithm: AdaptiveAlgorithm
}

/** How much slower than the baseline late work must have been for its lateness to be overload: else its deadline was what was wrong. */
const TOLERANCE = 1.5
/** Share of overload in a window from which it lowers the limit. A service with few errors would otherwise end at its floor: a large window always has one. */
const DROPPED_SHARE = 0.05
/** Share of the limit in use from which it counts as reached. */
const REACHED = 0.9
/** Share of the limit in use from which round trips may contain waiting inside the service, and do not raise the baseline. */
const BUSY = 0.8

/** A limit that learns from windows of samples by a published algorithm, under the guards that hold for all of them. */
export class AdaptiveLimit implements Limit {
  slots: number
  readonly #pressure: Pick<Pressure, 'level'>
  readonly #shadow: boolean
  readonly #changed: LimitListener
  readonly #window: SampleWindow
  readonly #baseline = new Baseline()
  #policy: AdaptivePolicy
  #step: LimitStep
  /** With its fraction. */
  #limit: number
  /** What started before is of an older epoch. */
  #epochMs = Number.NEGATIVE_INFINITY

  /** Begins at `limit`, within the policy's bounds. While the level of `pressure` is above 0, nothing that is seen counts as calm. */
  constructor(
    policy: AdaptivePolicy,
    limit: number,
    pressure: Pick<Pressure, 'level'>,
    random: Random,
    changed: LimitListener,
    shadow = false,
  ) {
    this.#pressure = pressure
    this.#policy = policy
    this.#step = stepOf(policy)
    this.#shadow = shadow
    this.#changed = changed
    this.#window = new SampleWindow(random)
    this.#limit = within(policy, limit)
    this.slots = Math.floor(this.#limit)
  }

  /** Another algorithm or other bounds: the limit stays where it is, as far as the bounds allow. Work begun under another algorithm teaches nothing. */
  obey(policy: AdaptivePolicy, nowMs: number): void {
    if (policy.algorithm !== this.#policy.algorithm) {
      this.#step = stepOf(policy)
      this.#epochMs = nowMs
      this.#window.next(nowMs, this.slots, this.#baseline.ms)
    }
    this.#policy = policy
    this.#limit = within(policy, this.#limit)
    this.slots = Math.floor(this.#limit)
  }

  sample(ms: number, inFlight: number, nowMs: number): void {
    if (!this.#counts(ms, nowMs)) return
    if (this.#window.sample(ms, inFlight, nowMs, false)) this.#learn(nowMs)
  }

  overrun(ms: number, inFlight: number, nowMs: number): void {
    if (!this.#counts(ms, nowMs)) return
    const slow = ms > TOLERANCE * this.#baseline.ms
    if (this.#window.sample(ms, inFlight, nowMs, slow)) this.#learn(nowMs)
  }

  drop(inFlight: number, nowMs: number): void {
    if (!(nowMs >= this.#epochMs)) return
    if (this.#window.drop(inFlight, nowMs)) this.#learn(nowMs)
  }

  waited(): void {
    this.#window.waited = true
  }

  /** A round trip of 0, below 0 or NaN is none. */
  #counts(ms: number, nowMs: number): boolean {
    return ms > 0 && ms < Number.POSITIVE_INFINITY && nowMs - ms >= this.#epochMs
  }

  #learn(nowMs: number): void {
    const window = this.#window
    const { samples, drops, overruns, inFlight, peak, waited, first } = window
    const medianMs = window.medianMs()
    const { level } = this.#pressure
    const windowMs = window.lengthMs(nowMs)
    const bad = drops + overruns
    const calm = !waited && bad === 0 && level === 0 && peak < BUSY * this.#limit
    if (samples >= FEWEST) this.#baseline.learn(medianMs, calm, windowMs)
    const dropped = bad > 0 && bad >= DROPPED_SHARE * (samples + drops)
    const baselineMs = this.#baseline.ms
    const reached = waited || peak >= REACHED * this.slots
    const seen = { rttMs: medianMs, inFlight, dropped, reached }
    if (!first || dropped) this.#limit = within(this.#policy, this.#step(this.#limit, baselineMs, seen))
    const from = this.slots
    this.slots = Math.floor(this.#limit)
    window.next(nowMs, this.slots, medianMs)
    if (from === this.slots) return
    this.#changed({
      algorithm: this.#policy.algorithm,
      shadow: this.#shadow,
      from,
      to: this.slots,
      windowMs,
      samples,
      overruns,
      drops,
      medianMs,
      baselineMs,
      gradient: gradientOf(baselineMs, medianMs),
      inFlight,
      peak,
      waited,
      level,
    })
  }
}

const stepOf = (policy: AdaptivePolicy): LimitStep => recovering(guarded(STEPS[policy.algorithm]))

const within = ({ floor, ceiling }: AdaptivePolicy, limit: number): number =>
  bounded(limit, Math.max(1, floor), ceiling)
