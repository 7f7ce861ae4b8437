import {
  type Verdicts as Page,
  type Service,
  VERDICTS,
  type Verdict,
  type VerdictsQuery,
  type VerdictWord,
} from '@weir/api'
import { done, type Result } from '../result.ts'
import type { Catalog } from '../services/catalog.ts'
import { BUCKET_SECONDS, judge, type Moment } from './judge.ts'
import { highOf, partsOf, worstDependency } from './trouble.ts'
import type { VerdictSource } from './verdict-source.ts'

const LOOK_BACK_SECONDS = 900
const CUT_SECONDS = 60
/** What a service could do is looked for in so many hours, in long buckets, and read anew each minute. */
const PAST_SECONDS = 6 * 3_600
const PAST_BUCKET_SECONDS = 300
const PAST_KEPT_MS = 60_000
/** However many look: an environment is judged once in this time. */
const KEPT_MS = 4_000
/** Environments whose last judgement is kept. */
const MOST_KEPT = 50

interface Kept<T> {
  readonly atMs: number
  readonly value: Promise<T>
}
type Judged = Result<{ readonly at: string; readonly items: readonly Verdict[] }>

const RANK: Readonly<Record<VerdictWord, number>> = { collapse: 0, silent: 1, shedding: 2, healthy: 3 }

/** A service that never said anything is no incident: it comes last. One that holds may still want a look: an alert fires, or agents refused its policy. */
const rankOf = ({ verdict, heardAt, service }: Verdict): number => {
  if (verdict === 'silent' && heardAt === null) return 9
  const looked = verdict === 'healthy' && (service.openAlerts > 0 || service.agents.refused > 0)
  return RANK[verdict] - (looked ? 0.5 : 0)
}

/** Judges all services of an environment together, the worst first. */
export class Verdicts {
  readonly #source: VerdictSource
  readonly #catalog: Catalog
  readonly #now: () => number
  readonly #judged = new Map<string, Kept<Judged>>()
  readonly #past = new Map<string, Kept<ReadonlyMap<string, Moment[]>>>()

  constructor(source: VerdictSource, catalog: Catalog, now: () => number = Date.now) {
    this.#source = source
    this.#catalog = catalog
    this.#now = now
  }

  /** `offset`: how many of the worst were given out already. */
  async page(
    environment: string,
    query: VerdictsQuery,
    offset: number,
  ): Promise<Result<{ page: Omit<Page, 'next'>; more: boolean }>> {
    const judged = await this.#of(environment)
    if (!judged.ok) return judged
    const { at, items } = judged.value
    const wanted = query.search?.trim().toLowerCase() ?? ''
    const found = items.filter(
      ({ service }) => service.name.includes(wanted) && (query.service === undefined || query.service === service.name),
    )
    const counts = Object.fromEntries(
      VERDICTS.map((word) => [word, items.filter(({ verdict }) => verdict === word).length]),
    )
    const sum = (of: (service: Service) => number) => items.reduce((all, { service }) => all + of(service), 0)
    const page = {
      at,
      items: found.slice(offset, offset + query.limit),
      counts: counts as Page['counts'],
      found: found.length,
      agents: {
        live: sum(({ agents }) => agents.live),
        applied: sum(({ agents }) => agents.applied),
        refused: sum(({ agents }) => agents.refused),
        pending: sum(({ agents }) => agents.pending),
      },
      openAlerts: sum(({ openAlerts }) => openAlerts),
      alerting: sum(({ openAlerts }) => Number(openAlerts > 0)),
    }
    return done({ page, more: found.length > offset + query.limit })
  }

  #of(environment: string): Promise<Judged> {
    return this.#keep(this.#judged, environment, KEPT_MS, () => this.#judge(environment))
  }

  /** The same answer for a while; one that failed is not kept. */
  #keep<T>(kept: Map<string, Kept<T>>, key: string, forMs: number, make: () => Promise<T>): Promise<T> {
    const atMs = this.#now()
    const known = kept.get(key)
    if (known !== undefined && atMs - known.atMs < forMs) return known.value
    const value = make()
    kept.delete(key)
    kept.set(key, { atMs, value })
    value.catch(() => kept.delete(key))
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    return value
  }

  async #judge(environment: string): Promise<Judged> {
    const services = await this.#services(environment)
    if (!services.ok) return services
    const nowMs = this.#now()
    const now = Math.floor(nowMs / 1_000)
    const to = Math.ceil(now / BUCKET_SECONDS) * BUCKET_SECONDS
    const from = to - LOOK_BACK_SECONDS
    const minute = { from: to - CUT_SECONDS, to }
    const pastTo = Math.floor(from / PAST_BUCKET_SECONDS) * PAST_BUCKET_SECONDS
    const [moments, past, cuts, calls, callsBefore] = await Promise.all([
      this.#source.moments(environment, { from, to }, BUCKET_SECONDS),
      this.#keep(this.#past, environment, PAST_KEPT_MS, () =>
        this.#source.moments(environment, { from: pastTo - PAST_SECONDS, to: pastTo }, PAST_BUCKET_SECONDS),
      ),
      this.#source.cuts(environment, minute),
      this.#source.dependencies(environment, minute),
      this.#source.dependencies(environment, { from, to: to - CUT_SECONDS }),
    ])
    const cutsOf = Map.groupBy(cuts, ({ service }) => service)
    const callsOf = Map.groupBy(calls, ({ service }) => service)
    const beforeOf = Map.groupBy(callsBefore, ({ service }) => service)
    const items = services.value.map((service): Verdict => {
      const own = moments.get(service.name) ?? []
      const rows = cutsOf.get(service.name) ?? []
      const high = highOf(rows)
      const judged = judge({
        now,
        lookedBackTo: from,
        moments: own,
        past: { seconds: PAST_BUCKET_SECONDS, moments: past.get(service.name) ?? [] },
        high,
      })
      return {
        service,
        ...judged,
        signs: [...judged.signs],
        since: isoOf(judged.since),
        heardAt: isoOf(judged.heardAt),
        ...partsOf(rows),
        highRefusedShare: high.offered > 0 ? high.refused / high.offered : null,
        dependency: worstDependency(callsOf.get(service.name) ?? [], beforeOf.get(service.name) ?? []),
        trend: trendOf(own, from, to),
      }
    })
    items.sort(
      (a, b) =>
        rankOf(a) - rankOf(b) ||
        b.refused - a.refused ||
        b.offered - a.offered ||
        (a.service.name < b.service.name ? -1 : 1),
    )
    return done({ at: new Date(nowMs).toISOString(), items })
  }

  async #services(environment: string): Promise<Result<Service[]>> {
    const services: Service[] = []
    for (let after: string | null = null; ; ) {
      const page = await this.#catalog.services(environment, { after, limit: 1_000 })
      if (!page.ok) return page
      services.push(...page.value.items)
      after = page.value.items.at(-1)?.name ?? null
      if (!page.value.more || after === null) return done(services)
    }
  }
}

const isoOf = (second: number | null): string | null =>
  second === null ? null : new Date(second * 1_000).toISOString()

/** Three buckets in one: a line as wide as a thumb. */
const TREND_STEP = 3 * BUCKET_SECONDS

const trendOf = (moments: readonly Moment[], from: number, to: number): Verdict['trend'] => {
  const start = Math.ceil(from / TREND_STEP) * TREND_STEP
  const length = Math.floor((to - start) / TREND_STEP)
  const offered = new Array<number | null>(length).fill(null)
  const goodput = new Array<number | null>(length).fill(null)
  for (const moment of moments) {
    const at = Math.floor((moment.second - start) / TREND_STEP)
    if (at < 0 || at >= length) continue
    offered[at] = tidy((offered[at] ?? 0) + moment.offered / TREND_STEP)
    goodput[at] = tidy((goodput[at] ?? 0) + moment.goodput / TREND_STEP)
  }
  return { from: new Date(start * 1_000).toISOString(), step: TREND_STEP, offered, goodput }
}

const tidy = (value: number): number => Math.round(value * 1_000) / 1_000
