import { setImmediate } from 'node:timers/promises'
import { ALERT_BUCKET_SECONDS, type Alert, MOST_WINDOW_SECONDS } from '@weir/api'
import type { AlertBook, AlertChange, FiringAlert, WatchedService } from './alert-book.ts'
import { LOOKBACK_SECONDS } from './expectation.ts'
import type { Buckets, FiguresFeed, Range, ServiceFigures } from './figures-feed.ts'
import type { TenantBucket } from './history.ts'
import type { AlertLeader } from './leader.ts'
import type { PublishedLimits, PublishedService } from './published.ts'
import { begin, judge, type ServiceWatch, tenantSubject } from './round.ts'

/** A bucket is judged when this much has passed since its end: by then what is exported each second is there. */
const LATENESS_SECONDS = 3
/** Services of more processes than this export every ten seconds, and are judged so much later. */
const DENSE_INSTANCES = 50
const SPARSE_SECONDS = 10
/** After so many services others get their turn of the event loop. */
const TURN_SERVICES = 5
/** After a longer pause what was in between is no longer judged. */
const MOST_BEHIND_SECONDS = 600

export interface AlertWatchParts {
  readonly leader: AlertLeader
  readonly book: AlertBook
  readonly feed: Pick<FiguresFeed, 'read' | 'tenants'>
  readonly published: Pick<PublishedLimits, 'of' | 'keep'>
  /** Tells dashboards. */
  readonly tell: (environment: string, alert: Alert) => void
}

/**
 * Judges every service, in one replica at a time. All that it knows is read again from what is durable when another one takes over: what was pending
 * is found in the roll-ups and in when agents were heard, what fires in the book. So nothing is raised twice and no waiting time begins anew.
 */
export class AlertWatch {
  readonly #parts: AlertWatchParts
  #term: bigint | null = null
  #services = new Map<string, ServiceWatch>()
  #judgedUntil = 0

  constructor(parts: AlertWatchParts) {
    this.#parts = parts
  }

  /** Called once a second, never twice at a time. What fails is tried again the next time. Returns whether this is the replica that judges. */
  async tick(): Promise<boolean> {
    const term = await this.#parts.leader.hold()
    if (term === null) {
      this.#term = null
      return false
    }
    if (this.#term !== term.token) {
      this.#services = new Map()
      this.#judgedUntil = 0
      this.#term = term.token
    }
    const last = bucketAt(term.nowMs / 1_000 - LATENESS_SECONDS)
    if (last > this.#judgedUntil) await this.#round(term.token, last)
    return true
  }

  async #round(token: bigint, last: number): Promise<void> {
    const services = await this.#parts.book.watched()
    const watches = await this.#watches(services, last)
    const patience = services.map(({ serviceId, rules }) => ({
      serviceId,
      staleSeconds: rules['agents-stale'].forSeconds,
      refusedSeconds: rules['revision-refused'].forSeconds,
      offSeconds: rules['books-off'].forSeconds,
    }))
    const agents = await this.#parts.book.agents(patience)
    const next = new Map<string, ServiceWatch>()
    const changes: AlertChange[] = []
    for (const [environment, members] of Map.groupBy(services, (service) => service.environment)) {
      const from = Math.min(...members.map(({ serviceId }) => watches.get(serviceId)?.until ?? last))
      const figures = await this.#parts.feed.read({ environment, from, to: last })
      for (const service of members) {
        const watch = watches.get(service.serviceId)
        if (watch === undefined) continue
        const own = figures.get(service.service)
        const published = await this.#parts.published.of(service)
        const to = isSparse(own) ? last - SPARSE_SECONDS : last
        const tenants = await this.#tenants({ environment, from: watch.until, to }, service, own, published)
        const judged = judge(
          service,
          watch,
          { figures: own, tenants, agents: agents.get(service.serviceId), published },
          to,
        )
        next.set(service.serviceId, judged.watch)
        changes.push(...judged.changes)
        if (next.size % TURN_SERVICES === 0) await setImmediate()
      }
    }
    for (const { environment, alert } of await this.#parts.book.record(token, changes))
      this.#parts.tell(environment, alert)
    this.#services = next
    this.#judgedUntil = last
    this.#parts.published.keep(new Set(next.keys()))
  }

  async #watches(services: readonly WatchedService[], last: number): Promise<Map<string, ServiceWatch>> {
    const isKnown = ({ serviceId }: WatchedService) =>
      last - (this.#services.get(serviceId)?.until ?? 0) <= MOST_BEHIND_SECONDS
    const fires = services.every(isKnown) ? [] : await this.#parts.book.firing()
    return new Map(
      services.map((service) => {
        const known = this.#services.get(service.serviceId)
        return [service.serviceId, known !== undefined && isKnown(service) ? known : begun(service, fires, last)]
      }),
    )
  }

  /** Tenants with a rate of their own, where quotas refuse. */
  async #tenants(
    range: Range,
    { service, rules }: WatchedService,
    figures: ServiceFigures | undefined,
    { gates, rates }: PublishedService,
  ): Promise<Map<string, Buckets<TenantBucket>>> {
    const found = new Map<string, Buckets<TenantBucket>>()
    if (!rules['quota-unused'].enabled) return found
    const refusing = [...(figures?.gates ?? [])].filter(([, buckets]) =>
      [...buckets.values()].some(({ quotaRefused }) => quotaRefused > 0),
    )
    const resources = new Set(refusing.map(([name]) => gates.get(name)?.resource ?? name))
    for (const resource of resources) {
      const own = rates.get(resource)
      if (own === undefined) continue
      const drawing = [...(figures?.gates.keys() ?? [])].filter(
        (name) => (gates.get(name)?.resource ?? name) === resource,
      )
      for (const [tenant, buckets] of await this.#parts.feed.tenants(range, service, drawing))
        if (own.has(tenant)) found.set(tenantSubject(resource, tenant), buckets)
    }
    return found
  }
}

/** Looks back so far that everything that is pending is found. */
const begun = ({ serviceId, rules }: WatchedService, fires: readonly FiringAlert[], last: number): ServiceWatch => {
  const hold = Math.max(...Object.values(rules).map(({ forSeconds }) => forSeconds))
  const from = bucketAt(last - LOOKBACK_SECONDS - MOST_WINDOW_SECONDS - hold)
  const own = fires.filter(({ key }) => key.serviceId === serviceId)
  return begin(serviceId, own, from, last - ALERT_BUCKET_SECONDS)
}

const bucketAt = (second: number): number => Math.floor(second / ALERT_BUCKET_SECONDS) * ALERT_BUCKET_SECONDS

const isSparse = (figures: ServiceFigures | undefined): boolean =>
  figures !== undefined &&
  [...figures.gates.values()].some((buckets) =>
    [...buckets.values()].some(({ instances }) => instances > DENSE_INSTANCES),
  )
