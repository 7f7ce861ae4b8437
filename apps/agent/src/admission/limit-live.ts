import { type ConcurrencyPolicy, DEFAULT_GATE } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'
import { FixedLimit, type Limit } from './limit.ts'
import { AdaptiveLimit, type AdaptivePolicy, type LimitChange, type LimitListener } from './limit-adaptive.ts'
import { ShadowedLimit } from './limit-shadow.ts'
import type { Mishaps } from './mishaps.ts'
import type { Pressure } from './options.ts'

/** A gate's limit as its host sees it. */
export interface LimitWatch {
  readonly slots: number
  /** What the shadow would allow; `null` without one. */
  readonly shadowSlots: number | null
  /** Hears every change, the shadow's too, with all that decided it. Returns the way to stop; at most 16 listen. */
  onChange(listener: LimitListener): () => void
  /** Lets a second algorithm see what the limit sees, and only report; `null` ends it. It begins at the present limit. */
  shadow(policy: AdaptivePolicy | null): void
}

const MAX_LISTENERS = 16

/** Of a gate that no policy names. */
const isBuiltIn = (policy: ConcurrencyPolicy): boolean => policy === DEFAULT_GATE.concurrency

/** The limit of one gate, through all of its policies. */
export class LiveLimit implements Limit, LimitWatch {
  /** A plain number: each decision reads it. */
  slots: number
  readonly #pressure: Pick<Pressure, 'level'>
  readonly #random: Random
  readonly #mishaps: Mishaps
  readonly #listeners = new Set<LimitListener>()
  #builtIn: boolean
  #live: FixedLimit | AdaptiveLimit
  #shadow: AdaptiveLimit | null = null
  #seeing: Limit

  /** What a listener throws is a mishap. */
  constructor(policy: ConcurrencyPolicy, pressure: Pick<Pressure, 'level'>, random: Random, mishaps: Mishaps) {
    this.#pressure = pressure
    this.#random = random
    this.#mishaps = mishaps
    this.#builtIn = isBuiltIn(policy)
    this.#live = this.#make(policy, policy.initial)
    this.#seeing = this.#live
    this.slots = this.#live.slots
  }

  get shadowSlots(): number | null {
    return this.#shadow === null ? null : this.#shadow.slots
  }

  /** A new policy keeps the present limit, as far as its bounds allow; a fixed one is what it says. The built-in limit is nobody's: after it the policy's own begins. */
  obey(policy: ConcurrencyPolicy, nowMs: number): void {
    if (isAdaptive(policy) && this.#live instanceof AdaptiveLimit) this.#live.obey(policy, nowMs)
    else this.#live = this.#make(policy, this.#builtIn ? policy.initial : this.slots)
    this.#builtIn = isBuiltIn(policy)
    this.#see()
  }

  sample(ms: number, inFlight: number, nowMs: number): void {
    this.#seeing.sample(ms, inFlight, nowMs)
    this.slots = this.#seeing.slots
  }

  overrun(ms: number, inFlight: number, nowMs: number): void {
    this.#seeing.overrun(ms, inFlight, nowMs)
    this.slots = this.#seeing.slots
  }

  drop(inFlight: number, nowMs: number): void {
    this.#seeing.drop(inFlight, nowMs)
    this.slots = this.#seeing.slots
  }

  waited(): void {
    this.#seeing.waited()
  }

  onChange(listener: LimitListener): () => void {
    if (this.#listeners.size < MAX_LISTENERS) this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  shadow(policy: AdaptivePolicy | null): void {
    this.#shadow = policy === null ? null : this.#learning(policy, this.slots, true)
    this.#see()
  }

  #make(policy: ConcurrencyPolicy, limit: number): FixedLimit | AdaptiveLimit {
    if (!isAdaptive(policy)) return new FixedLimit(policy)
    return this.#learning(policy, limit, false)
  }

  #learning(policy: AdaptivePolicy, limit: number, shadow: boolean): AdaptiveLimit {
    return new AdaptiveLimit(policy, limit, this.#pressure, this.#random, (change) => this.#tell(change), shadow)
  }

  #see(): void {
    this.#seeing = this.#shadow === null ? this.#live : new ShadowedLimit(this.#live, this.#shadow)
    this.slots = this.#live.slots
  }

  #tell(change: LimitChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#mishaps.warn(error)
      }
    }
  }
}

const isAdaptive = (policy: ConcurrencyPolicy): policy is AdaptivePolicy => policy.algorithm !== 'fixed'
