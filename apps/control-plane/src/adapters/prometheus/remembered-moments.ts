import type { Moment } from '../../features/verdicts/judge.ts'
import { type CutRow, type DependencyRow, type Stretch, VerdictSource } from '../../features/verdicts/verdict-source.ts'

/** Nothing is booked further back than this: what is older does not change. An engine takes late samples for as long. */
const CLOSED_SECONDS = 1_800
/** One question to the engine is about so much: what was answered before one that it had no time for stays known. */
const PART_SECONDS = 3_600
/** Questions that are remembered: environments times lengths of bucket. */
const MOST_REMEMBERED = 50

type Moments = ReadonlyMap<string, readonly Moment[]>
interface Remembered {
  readonly from: number
  readonly to: number
  readonly moments: Moments
}

/**
 * Asks for the past once. There are no roll-ups in an engine: six hours of a large fleet are tens of seconds of its work, and all but the last half hour of
 * them is what was answered a minute ago. Buckets are to begin at multiples of their length, else they are asked for anew.
 */
export class RememberedMoments extends VerdictSource {
  readonly #source: VerdictSource
  readonly #now: () => number
  readonly #remembered = new Map<string, Remembered>()

  constructor(source: VerdictSource, now: () => number = Date.now) {
    super()
    this.#source = source
    this.#now = now
  }

  override async moments(environment: string, stretch: Stretch, bucket: number): Promise<Map<string, Moment[]>> {
    const key = `${environment}\n${bucket}`
    const known = this.#usable(key, stretch, bucket)
    const closed = Math.floor((this.#now() / 1_000 - CLOSED_SECONDS) / bucket) * bucket
    const part = Math.ceil(PART_SECONDS / bucket) * bucket
    let all = joined([known?.moments ?? new Map()], stretch)
    for (let from = known?.to ?? stretch.from; from < stretch.to; from += part) {
      const to = Math.min(from + part, stretch.to)
      all = joined([all, await this.#source.moments(environment, { from, to }, bucket)], stretch)
      this.#remember(key, { from: stretch.from, to: Math.min(to, closed) }, all)
    }
    return all
  }

  override cuts(environment: string, stretch: Stretch): Promise<readonly CutRow[]> {
    return this.#source.cuts(environment, stretch)
  }

  override dependencies(environment: string, stretch: Stretch): Promise<readonly DependencyRow[]> {
    return this.#source.dependencies(environment, stretch)
  }

  #usable(key: string, { from, to }: Stretch, bucket: number): Remembered | null {
    const known = this.#remembered.get(key)
    if (known === undefined || from % bucket !== 0) return null
    return known.from <= from && from < known.to && known.to <= to ? known : null
  }

  #remember(key: string, { from, to }: Stretch, all: Moments): void {
    this.#remembered.delete(key)
    if (from >= to) return
    this.#remembered.set(key, { from, to, moments: joined([all], { from, to }) })
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest)
  }
}

/** One after the other, of a stretch. */
const joined = (parts: readonly Moments[], { from, to }: Stretch): Map<string, Moment[]> => {
  const all = new Map<string, Moment[]>()
  for (const part of parts)
    for (const [service, moments] of part) {
      const own = moments.filter(({ second }) => second >= from && second < to)
      if (own.length > 0) all.set(service, [...(all.get(service) ?? []), ...own])
    }
  return all
}
