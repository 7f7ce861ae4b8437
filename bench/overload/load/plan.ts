import type { Shape } from '@weir/testkit'

/** What the load generator is told, and what it tells. Times are milliseconds, rates per second. */

/** One sort of request, and its share of its stream. */
export interface Kind {
  readonly name: string
  readonly share: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Arrivals of one Poisson process over several kinds, spread over the targets in turn. */
export interface Stream {
  readonly shape: Shape
  readonly kinds: readonly Kind[]
  readonly targets: readonly string[]
}

/** Open: arrivals come when they come. Closed: so many callers, each asking again as soon as it was answered; for measuring capacity. */
export type Plan =
  | { readonly type: 'open'; readonly seed: number; readonly patienceMs: number; readonly streams: readonly Stream[] }
  | { readonly type: 'closed'; readonly callers: number; readonly seconds: number; readonly stream: Stream }

export const OUTCOMES = ['ok', 'refused', 'untyped', 'failed', 'gave-up'] as const
/**
 * By its answer: 2xx in time; 429 or 503 that says why (a Weir signal); 429 or 503 that does not; any other answer or none; its caller's patience ended first.
 */
export type Outcome = (typeof OUTCOMES)[number]

/** Every request, one column each; times count from the start of the plan. */
export interface Records {
  /** Machine time of the plan's start. */
  readonly startMs: number
  /** When it was to arrive: latency counts from here. */
  readonly intendedMs: Float64Array
  readonly endMs: Float64Array
  /** Index into `OUTCOMES`. */
  readonly outcome: Uint8Array
  /** Index into `kinds`. */
  readonly kind: Uint8Array
  readonly kinds: readonly string[]
  /** Refusals by their reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** Longest time between when a request was to arrive and when it was sent. */
  readonly lagMs: number
}

export interface Progress {
  readonly type: 'progress'
  readonly sent: number
  readonly counts: readonly number[]
}
export interface Started {
  readonly type: 'started'
  readonly startMs: number
}
export interface Done {
  readonly type: 'done'
  readonly records: Records
}
export type GeneratorSays = Started | Progress | Done
