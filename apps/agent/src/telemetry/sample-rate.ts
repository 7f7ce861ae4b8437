import type { Random } from '../core/clock.ts'
import type { Sample, Sampler, SampleStart } from '../core/sampling.ts'

/** Spans a second and process: enough to see what happens, little beside the work of any process. */
const SPANS_PER_SECOND = 10

/** Refusals a second and process that are told beside them, for their reasons. */
const REFUSALS_PER_SECOND = 5
/** Between two tunings the gaps between told refusals double, up to so many. */
const WIDEST_GAP = 256

/** Decides before the work begins. Every so many decisions one is considered, at a random place, and taken while this second's allowance lasts. */
class RateSampler implements Sampler {
  /** Decisions until one is considered, and how many the stretch had. */
  #left = 1
  #stretch = 1
  /** Decisions since the last sample, in the stretches that are over. */
  #passed = 0
  /** Mean length of a stretch. */
  #interval = 1
  /** Since the last tuning, in the stretches that are over. */
  #counted = 0
  /** Refusals until one is told, and how many it will be then. */
  #refusals = 1
  #refusalGap = 1
  readonly #rate: SampleRate
  readonly #random: Random
  readonly begin: (start: SampleStart) => Sample

  constructor(rate: SampleRate, random: Random, begin: (start: SampleStart) => Sample) {
    this.#rate = rate
    this.#random = random
    this.begin = begin
  }

  next(): number {
    return --this.#left > 0 ? 0 : this.#consider()
  }

  refusal(): boolean {
    if (--this.#refusals > 0) return false
    this.#refusals = this.#refusalGap
    this.#refusalGap = Math.min(2 * this.#refusalGap, WIDEST_GAP)
    return this.#rate.takeRefusal()
  }

  /** Decisions since the last tuning. */
  get decisions(): number {
    return this.#counted + this.#stretch - this.#left
  }

  /** Aims at `wanted` samples where the next stretch of time brings as many decisions as the last. */
  tune(wanted: number): void {
    const { decisions } = this
    this.#counted = 0
    this.#refusals = this.#refusalGap = 1
    this.#passed += this.#stretch - this.#left
    this.#interval = Math.max(1, decisions / wanted)
    this.#stretch = this.#left = Math.min(this.#left, this.#drawn())
  }

  #consider(): number {
    this.#passed += this.#stretch
    this.#counted += this.#stretch
    const taken = this.#rate.take()
    if (!taken) this.#interval *= 2
    this.#stretch = this.#left = this.#drawn()
    if (!taken) return 0
    const adjustedCount = this.#passed
    this.#passed = 0
    return adjustedCount
  }

  /** Uniform from 1 to 2 x mean - 1: a fixed step would fall in with the rhythm of the work. */
  #drawn(): number {
    return 1 + Math.floor(this.#random() * (2 * this.#interval - 1))
  }
}

/**
 * The bounded rate of a process's samples, and one sampler for each gate and dependency.
 * A sample stands for all decisions since the one before it, so that at each moment the counts of all samples sum to what was decided up to the last one;
 * which of them it is, is chance, so that shares among samples, weighted, are those among the work. Refusals are work like any other; beside that the first
 * ones of each second are told with a count of 0, so that a rare one has its reasons told too.
 * `refill` once a second.
 */
export class SampleRate {
  readonly #samplers: RateSampler[] = []
  readonly #random: Random
  readonly #perSecond: number
  #left: number
  #refusalsLeft = REFUSALS_PER_SECOND

  constructor(random: Random, perSecond = SPANS_PER_SECOND) {
    this.#random = random
    this.#perSecond = perSecond
    this.#left = perSecond
  }

  sampler(begin: (start: SampleStart) => Sample): Sampler {
    const sampler = new RateSampler(this, this.#random, begin)
    this.#samplers.push(sampler)
    return sampler
  }

  take(): boolean {
    if (this.#left <= 0) return false
    this.#left--
    return true
  }

  takeRefusal(): boolean {
    if (this.#refusalsLeft <= 0) return false
    this.#refusalsLeft--
    return true
  }

  /** Shares the next second among those that decided something in the last. */
  refill(): void {
    this.#left = this.#perSecond
    this.#refusalsLeft = REFUSALS_PER_SECOND
    const busy = this.#samplers.filter(({ decisions }) => decisions > 0).length
    for (const sampler of this.#samplers) sampler.tune(this.#perSecond / Math.max(1, busy))
  }
}
