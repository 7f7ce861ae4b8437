import type { BreakerPolicy, DependencyPolicy, OutlierPolicy } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'
import { Breaker, type Ticket, UNTRACKED } from './breaker.ts'

/** Endpoints of one dependency that are kept in mind; past this the one that was used longest ago is forgotten. */
export const MAX_ENDPOINTS = 128
/** Weight of the newest duration in the mean of an endpoint. */
const WEIGHT = 0.2
/** Below this nothing is slow, milliseconds: a pause of our own must not look like an ill replica. */
const SLOW_FROM_MS = 10
/** How often what is slow is worked out anew, milliseconds. */
const COMPARE_EVERY_MS = 500

/** One replica behind the dependency's name. */
export class Endpoint {
  readonly name: string
  readonly breaker: Breaker
  inFlight = 0
  ejected = false
  /** Exponential mean of the durations of its successes, milliseconds; NaN before the first. */
  typicalMs = Number.NaN

  constructor(name: string, policy: BreakerPolicy, now: number) {
    this.name = name
    this.breaker = new Breaker(policy, now)
  }
}

/** Where one attempt went. */
export interface Placement {
  readonly endpoint: Endpoint
  readonly ticket: Ticket
}

/**
 * Replicas behind one name. Each has a breaker of its own over failures and over calls slower than `slowFactor` times the median of the others' means;
 * one that opens is avoided for `ejectMs`, then gets single calls as probes. At most `maxEjectedShare` of those on offer are avoided, never all: where
 * more are ill the dependency is, and its own breaker judges. Of the rest the one of two drawn at random with fewer attempts in flight is taken
 * ("power of two choices", Mitzenmacher), and not the one that was just tried where there is another.
 */
export class Endpoints {
  readonly #known = new Map<string, Endpoint>()
  #policy: OutlierPolicy | null = null
  #comparedAt = Number.NEGATIVE_INFINITY
  #ejections = 0

  /** Replicas that are avoided now. */
  get ejected(): number {
    let count = 0
    for (const endpoint of this.#known.values()) if (endpoint.ejected) count++
    return count
  }

  get known(): number {
    return this.#known.size
  }

  takeEjections(): number {
    const ejections = this.#ejections
    this.#ejections = 0
    return ejections
  }

  /** Where the next attempt goes; `null` when nothing is on offer. Observed calls avoid nobody. */
  place(
    names: readonly string[] | undefined,
    now: number,
    { mode, outlier }: Pick<DependencyPolicy, 'mode' | 'outlier'>,
    random: Random,
    avoid: Endpoint | null,
  ): Placement | null {
    if (names === undefined || names.length === 0) return null
    const policy = mode === 'enforce' ? outlier : null
    this.#obey(policy, now)
    const offered = Array.from(new Set(names), (name) => this.#get(name, now))
    const healthy = policy === null ? offered : this.#sort(offered, policy, now)
    if (!Array.isArray(healthy)) return this.#take(healthy.endpoint, healthy.ticket)
    const others = healthy.filter((endpoint) => endpoint !== avoid)
    const endpoint = lessBusy(others.length > 0 ? others : healthy, random)
    return this.#take(endpoint, endpoint.breaker.tryAcquire(now) ?? UNTRACKED)
  }

  succeeded({ endpoint, ticket }: Placement, now: number, durationMs: number): void {
    const { typicalMs } = endpoint
    endpoint.typicalMs = Number.isNaN(typicalMs) ? durationMs : typicalMs + (durationMs - typicalMs) * WEIGHT
    this.#compare(now)
    endpoint.breaker.success(ticket, now, durationMs)
  }

  failed({ endpoint, ticket }: Placement, now: number, durationMs: number): void {
    endpoint.breaker.failure(ticket, now, durationMs)
  }

  neutral({ endpoint, ticket }: Placement): void {
    endpoint.breaker.neutral(ticket)
  }

  ended({ endpoint }: Placement): void {
    endpoint.inFlight--
  }

  #take(endpoint: Endpoint, ticket: Ticket): Placement {
    endpoint.inFlight++
    return { endpoint, ticket }
  }

  /** Those that may be used; or the one that is due a probe. */
  #sort(offered: readonly Endpoint[], policy: OutlierPolicy, now: number): Endpoint[] | Placement {
    const most = Math.min(offered.length - 1, Math.max(1, Math.floor(offered.length * policy.maxEjectedShare)))
    for (const endpoint of offered)
      if (endpoint.ejected && endpoint.breaker.view(now) === 'closed') endpoint.ejected = false
    let ejected = offered.reduce((count, endpoint) => count + (endpoint.ejected ? 1 : 0), 0)
    const healthy: Endpoint[] = []
    let avoided = 0
    for (const endpoint of offered) {
      if (!endpoint.ejected && endpoint.breaker.view(now) === 'open' && ejected < most) {
        endpoint.ejected = true
        ejected++
        this.#ejections++
      }
      const probe = endpoint.ejected ? endpoint.breaker.tryAcquire(now) : null
      if (probe !== null) return { endpoint, ticket: probe }
      // More of these may have been ejected than may be avoided, when others were on offer beside them.
      if (endpoint.ejected && avoided < most) avoided++
      else healthy.push(endpoint)
    }
    return healthy
  }

  #get(name: string, now: number): Endpoint {
    const known = this.#known.get(name)
    const endpoint = known ?? new Endpoint(name, breakerPolicy(this.#policy, null), now)
    if (known !== undefined && this.#known.size < MAX_ENDPOINTS) return known
    this.#known.delete(name)
    this.#known.set(name, endpoint)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_ENDPOINTS) break
      this.#known.delete(oldest)
    }
    return endpoint
  }

  #obey(policy: OutlierPolicy | null, now: number): void {
    if (policy === this.#policy) return
    this.#policy = policy
    this.#comparedAt = Number.NEGATIVE_INFINITY
    this.#compare(now)
    if (policy === null) for (const endpoint of this.#known.values()) endpoint.ejected = false
  }

  /** What counts as slow is relative: each endpoint is held against the others. */
  #compare(now: number): void {
    if (now - this.#comparedAt < COMPARE_EVERY_MS) return
    this.#comparedAt = now
    const all = [...this.#known.values()]
    for (const endpoint of all) {
      const others = all.filter((other) => other !== endpoint && !other.ejected && !Number.isNaN(other.typicalMs))
      endpoint.breaker.apply(breakerPolicy(this.#policy, median(others.map(({ typicalMs }) => typicalMs))), now)
    }
  }
}

const median = (values: readonly number[]): number | null =>
  values.length === 0 ? null : (values.toSorted((a, b) => a - b)[values.length >> 1] ?? null)

const lessBusy = (from: readonly Endpoint[], random: Random): Endpoint => {
  const first = Math.floor(random() * from.length)
  const second = (first + 1 + Math.floor(random() * (from.length - 1))) % from.length
  const [a, b] = [from[first] as Endpoint, from[second] as Endpoint]
  return b.inFlight < a.inFlight ? b : a
}

const breakerPolicy = (policy: OutlierPolicy | null, othersMs: number | null): BreakerPolicy => ({
  mode: policy === null ? 'forced-closed' : 'auto',
  windowMs: policy?.windowMs ?? 10_000,
  minimumVolume: policy?.minimumVolume ?? 1,
  failureShare: policy?.failureShare ?? 1,
  slowCallMs:
    policy === null || policy.slowFactor === null || othersMs === null
      ? null
      : Math.max(SLOW_FROM_MS, policy.slowFactor * othersMs),
  slowShare: policy?.failureShare ?? 1,
  openMs: policy?.ejectMs ?? 1,
  probes: 1,
  probeLeaseMs: policy?.ejectMs ?? 1,
})
