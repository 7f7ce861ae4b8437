import { ALERT_BUCKET_SECONDS } from '@weir/api'
import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import type { Figures, OutcomeQuery, OutcomeSlice, OutcomeStore } from '../outcomes/outcome-store.ts'
import type { DependencyBucket, GateBucket, TenantBucket } from './history.ts'

/** Gates and dependencies of one environment that are judged: the heaviest. */
const MOST_SUBJECTS = 5_000
const MOST_LABELS = 50
/** Questions to the store at a time. */
const AT_A_TIME = 8
const QUOTA_REASONS: ReadonlySet<string> = new Set(['tenant-rate', 'tenant-concurrency', 'unknown-tenant'])

/** Buckets by their first second. */
export type Buckets<B> = Map<number, B>
export interface ServiceFigures {
  readonly gates: Map<string, Buckets<GateBucket>>
  readonly dependencies: Map<string, Buckets<DependencyBucket>>
}

export interface Range {
  readonly environment: string
  /** Whole buckets; `to` exclusive. */
  readonly from: number
  readonly to: number
}

/** Reads what rules are judged by out of the outcome store. What only matters where work is refused is asked for only there. */
export class FiguresFeed {
  readonly #store: OutcomeStore

  constructor(store: OutcomeStore) {
    this.#store = store
  }

  async read(range: Range): Promise<Map<string, ServiceFigures>> {
    const [gates, dependencies] = await Promise.all([
      this.#query(range, { kind: 'gate', labelBy: 'name', maxSeries: MOST_SUBJECTS }),
      this.#query(range, { kind: 'dependency', labelBy: 'name', maxSeries: MOST_SUBJECTS }),
    ])
    const services = new Map<string, ServiceFigures>()
    for (const { service, name, buckets } of placesOf(gates, gateBucket))
      serviceIn(services, service).gates.set(name, buckets)
    for (const { service, name, buckets } of placesOf(dependencies, dependencyBucket))
      serviceIn(services, service).dependencies.set(name, buckets)
    await this.#tellRefusalsApart(range, services)
    return services
  }

  /** Work of the tenants of some gates of one service, by tenant. */
  async tenants(range: Range, service: string, gates: readonly string[]): Promise<Map<string, Buckets<TenantBucket>>> {
    const tenants = new Map<string, Buckets<TenantBucket>>()
    for (const name of gates) {
      const slice = await this.#query(range, { kind: 'gate', service, name, cut: 'tenant', labelBy: 'label' })
      for (const { label, second, figures } of slice.rows) {
        const buckets = tenants.get(label) ?? new Map<number, TenantBucket>()
        const before = buckets.get(second)
        buckets.set(second, {
          accepted: (before?.accepted ?? 0) + (figures.accepted ?? 0),
          refused: (before?.refused ?? 0) + refusedOf(figures),
        })
        tenants.set(label, buckets)
      }
    }
    return tenants
  }

  async #tellRefusalsApart(range: Range, services: Map<string, ServiceFigures>): Promise<void> {
    const refusing = [...services].flatMap(([service, { gates }]) =>
      [...gates]
        .filter(([, buckets]) => [...buckets.values()].some(({ refused }) => refused > 0))
        .map(([name, buckets]) => ({ service, name, buckets })),
    )
    for (let i = 0; i < refusing.length; i += AT_A_TIME)
      await Promise.all(refusing.slice(i, i + AT_A_TIME).map((gate) => this.#tellGateApart(range, gate)))
  }

  async #tellGateApart(
    range: Range,
    { service, name, buckets }: { service: string; name: string; buckets: Buckets<GateBucket> },
  ): Promise<void> {
    const of = { kind: 'gate', service, name, labelBy: 'label' } as const
    const [reasons, classes] = await Promise.all([
      this.#query(range, { ...of, cut: 'reason' }),
      this.#query(range, { ...of, cut: 'class' }),
    ])
    for (const { label, second, figures } of reasons.rows) {
      const bucket = buckets.get(second)
      if (bucket !== undefined && QUOTA_REASONS.has(label))
        buckets.set(second, { ...bucket, quotaRefused: bucket.quotaRefused + refusedOf(figures) })
    }
    for (const { label, second, figures } of classes.rows) {
      const bucket = buckets.get(second)
      if (bucket === undefined || !isClass(label)) continue
      const counts = { offered: figures.offered ?? 0, refused: refusedOf(figures) }
      buckets.set(second, { ...bucket, classes: { ...bucket.classes, [label]: counts } })
    }
  }

  #query({ environment, from, to }: Range, more: Partial<OutcomeQuery> & Pick<OutcomeQuery, 'kind' | 'labelBy'>) {
    return this.#store.query({
      environment,
      service: null,
      name: null,
      edge: null,
      cut: 'total',
      from,
      to,
      step: 1,
      bucket: ALERT_BUCKET_SECONDS,
      maxSeries: MOST_LABELS,
      ...more,
    })
  }
}

const serviceIn = (services: Map<string, ServiceFigures>, service: string): ServiceFigures => {
  const known = services.get(service)
  if (known !== undefined) return known
  const made = { gates: new Map(), dependencies: new Map() }
  services.set(service, made)
  return made
}

/** Labels are `service/name`, and no service has a slash in its name; one without a slash is the sum of the others, which is left out. */
const placesOf = <B>({ rows }: OutcomeSlice, of: (figures: Figures) => B) =>
  [...Map.groupBy(rows, ({ label }) => label)].flatMap(([label, own]) => {
    const slash = label.indexOf('/')
    if (slash < 0) return []
    const buckets: Buckets<B> = new Map(own.map(({ second, figures }) => [second, of(figures)]))
    return [{ service: label.slice(0, slash), name: label.slice(slash + 1), buckets }]
  })

const isClass = (label: string): label is Criticality => (CRITICALITIES as readonly string[]).includes(label)

const refusedOf = ({ shed, expired }: Figures): number => (shed ?? 0) + (expired ?? 0)

const gateBucket = (figures: Figures): GateBucket => {
  const heard = figures.gauge_seconds ?? 0
  return {
    offered: figures.offered ?? 0,
    refused: refusedOf(figures),
    quotaRefused: 0,
    goodput: Math.max(0, (figures.completed ?? 0) - (figures.ignored ?? 0)),
    limit: heard === 0 || figures.limit_integral === null ? null : figures.limit_integral / heard,
    oldestAgeMs: figures.oldest_age_ms,
    instances: heard / ALERT_BUCKET_SECONDS,
    classes: {},
  }
}

const dependencyBucket = ({ retries, budget_exhausted }: Figures): DependencyBucket => ({
  retries: retries ?? 0,
  budgetExhausted: budget_exhausted ?? 0,
})
