import { INPUT } from './inputs.ts'

/** Smaller than any token that matters, larger than the rounding of a million refills. */
const ROUNDING = 1e-9

/** An agent's share of a tenant's rate: units per second, and units of burst. */
export interface Flow {
  readonly rate: number
  readonly burst: number
}

/** A clock that was read, milliseconds. */
export interface Reading {
  readonly lastMs: number
}

/**
 * Token bucket: tokens(t) = min(capacity, tokens + rate x elapsed). Starts empty. A burst below one unit accumulates to one, else small shares
 * would never pass; a burst of 0 lets nothing pass. Work that costs more than the capacity passes when the bucket is full, and leaves a debt:
 * the rate holds, and no work is refused for ever.
 */
export class Bucket {
  // Each begins as a number: a field that was ever undefined keeps an object for every number.
  #tokens = 0
  #atMs = 0
  #perMs = 0
  #capacity = 0
  #burst = 0

  constructor(flow: Flow, nowMs: number) {
    this.#burst = flow.burst
    this.#capacity = capacityOf(flow)
    this.#perMs = flow.rate / 1_000
    this.#atMs = nowMs
  }

  has(units: number, nowMs: number): boolean {
    this.#refill({ lastMs: nowMs })
    return passes(this.#tokens, this.#capacity, units)
  }

  /** Puts what `has` reads, as of the last time that was told to it. */
  put(row: Float64Array): void {
    row[INPUT.tokens] = this.#tokens
    row[INPUT.capacity] = this.#capacity
  }

  /** Surely has them, whatever the time: no clock is asked, nothing is refilled. */
  holds(units: number): boolean {
    return this.#tokens >= units
  }

  /** At the clock's last reading. */
  take(units: number, clock: Reading): void {
    this.#refill(clock)
    this.#tokens -= units
  }

  /** Of work that did not start after all: only admitted work counts as use. */
  giveBack(units: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + units)
  }

  full(nowMs: number): boolean {
    this.#refill({ lastMs: nowMs })
    return this.#tokens + ROUNDING >= this.#capacity
  }

  /** Another split of the same quota moves the rate only: a gainer gets no tokens, a loser is clipped. */
  reshare(flow: Flow, nowMs: number): void {
    this.#refill({ lastMs: nowMs })
    this.#set(flow)
    this.#tokens = Math.min(this.#tokens, this.#capacity)
  }

  /** An operator's edit adds the difference of the bursts, so that what was used stays used; a smaller burst clips and makes no debt. */
  edit(flow: Flow, nowMs: number): void {
    this.#refill({ lastMs: nowMs })
    const added = flow.burst - this.#burst
    this.#set(flow)
    this.#tokens = Math.min(Math.max(this.#tokens + added, Math.min(this.#tokens, 0)), this.#capacity)
  }

  #set(flow: Flow): void {
    this.#burst = flow.burst
    this.#capacity = capacityOf(flow)
    this.#perMs = flow.rate / 1_000
  }

  /** Of a clock, not of a number: a fraction that is handed on becomes an object. */
  #refill(clock: Reading): void {
    const elapsedMs = clock.lastMs - this.#atMs
    if (elapsedMs <= 0) return
    this.#tokens = Math.min(this.#capacity, this.#tokens + elapsedMs * this.#perMs)
    this.#atMs = clock.lastMs
  }
}

/** Whether a bucket with so many tokens lets work pass; work of no cost passes whatever the capacity. */
export const passes = (tokens: number, capacity: number, units: number): boolean =>
  tokens >= units || (capacity > 0 && tokens + ROUNDING >= Math.min(units, capacity))

const capacityOf = (flow: Flow): number => (flow.burst > 0 ? Math.max(1, flow.burst) : 0)
