import { ALERT_BUCKET_SECONDS, type AlertRule, type AlertRuleName, type AlertRules } from '@weir/api'
import type { AlertChange, FiringAlert, WatchedService } from './alert-book.ts'
import type { Buckets, ServiceFigures } from './figures-feed.ts'
import { GATE_RULES, type GateRuleName, type GateView } from './gate-rules.ts'
import type { GateBucket, TenantBucket } from './history.ts'
import { type AgentCounts, agentsStale, booksOff, quotaUnused, retryBudget, revisionRefused } from './other-rules.ts'
import { CALM } from './phase.ts'
import type { PublishedService } from './published.ts'
import type { Reading } from './reading.ts'
import { advance, isForgotten, type Judging, type Subject } from './subject.ts'

const GATE_NAMES = Object.keys(GATE_RULES) as GateRuleName[]
const KINDS = ['gate', 'dependency', 'tenant', 'agents'] as const
type Kind = (typeof KINDS)[number]
const NAMES: Readonly<Record<Kind, readonly AlertRuleName[]>> = {
  gate: GATE_NAMES,
  dependency: ['retry-budget-exhausted'],
  tenant: ['quota-unused'],
  agents: ['agents-stale', 'revision-refused', 'books-off'],
}
const kindOf = (rule: AlertRuleName): Kind => KINDS.find((kind) => NAMES[kind].includes(rule)) ?? 'gate'

/** Every subject of one service, by kind and name. */
export interface ServiceWatch {
  /** The last bucket when this replica began to judge, seconds. */
  readonly beganAt: number
  /** The first second that is not judged yet. */
  readonly until: number
  readonly subjects: ReadonlyMap<string, Subject<unknown>>
}

export interface Heard {
  readonly figures: ServiceFigures | undefined
  readonly tenants: ReadonlyMap<string, Buckets<TenantBucket>>
  readonly agents: AgentCounts | undefined
  readonly published: PublishedService
}

/** Watches a service anew: what fires goes on firing. */
export const begin = (
  serviceId: string,
  fires: readonly FiringAlert[],
  until: number,
  beganAt: number,
): ServiceWatch => {
  const subjects = new Map<string, Subject<unknown>>()
  for (const { key, alert } of fires) {
    const id = `${kindOf(key.rule)}\n${key.subject}`
    const known = subjects.get(id) ?? newSubject(serviceId, key.subject, until)
    const phase = { ...CALM, firing: { worst: alert.worst, figures: alert.figures } }
    subjects.set(id, { ...known, phases: new Map(known.phases).set(key.rule, phase) })
  }
  return { beganAt, until, subjects }
}

const newSubject = (serviceId: string, subject: string, until: number): Subject<unknown> => ({
  serviceId,
  subject,
  until,
  history: [],
  phases: new Map(),
})

/** Judges one service up to `to`. */
export const judge = (
  service: WatchedService,
  watch: ServiceWatch,
  heard: Heard,
  to: number,
): { readonly watch: ServiceWatch; readonly changes: readonly AlertChange[] } => {
  const subjects = new Map(watch.subjects)
  const changes: AlertChange[] = []
  const { rules } = service
  const one = <B>(
    kind: Kind,
    name: string,
    buckets: Buckets<B> | undefined,
    read: Judging<B>['read'],
    instant = false,
  ) => {
    const id = `${kind}\n${name}`
    const subject = (subjects.get(id) ?? newSubject(service.serviceId, name, watch.until)) as Subject<B>
    const judging = { rules, names: NAMES[kind], read, beganAt: watch.beganAt, instant }
    const next = advance(subject, buckets, to, judging)
    changes.push(...next.changes)
    if (isForgotten(next.subject)) subjects.delete(id)
    else subjects.set(id, next.subject)
  }
  const names = (kind: Kind, found: Iterable<string>) => {
    const known = [...subjects.keys()].filter((id) => id.startsWith(`${kind}\n`)).map((id) => id.slice(kind.length + 1))
    return new Set([...known, ...found])
  }
  const { figures, tenants, agents, published } = heard
  for (const name of names('gate', figures?.gates.keys() ?? [])) {
    const limits = published.gates.get(name) ?? null
    one<GateBucket>('gate', name, figures?.gates.get(name), (rule, history, phase) =>
      readGate(rule as GateRuleName, rules, { history, published: limits, remembered: phase.firing?.figures ?? null }),
    )
  }
  for (const name of names('dependency', figures?.dependencies.keys() ?? []))
    one('dependency', name, figures?.dependencies.get(name), (_, history) =>
      retryBudget(history, rules['retry-budget-exhausted']),
    )
  for (const name of names('tenant', tenants.keys())) {
    const quota = rateOf(published, name)
    one('tenant', name, quiet(tenants.get(name), watch.until, to), (_, history) =>
      quotaUnused(history, rules['quota-unused'], quota),
    )
  }
  const counted = agents === undefined ? undefined : new Map([[to - ALERT_BUCKET_SECONDS, agents]])
  one<AgentCounts>('agents', '', counted, (rule, history) => readAgents(rule, rules, history.at(-1) ?? NOBODY), true)
  return { watch: { ...watch, until: Math.max(watch.until, to), subjects }, changes }
}

const readGate = <N extends GateRuleName>(name: N, rules: AlertRules, view: GateView): Reading => {
  const read = GATE_RULES[name] as (view: GateView, rule: AlertRule<N>) => Reading
  return read(view, rules[name] as unknown as AlertRule<N>)
}

const NOBODY: AgentCounts = { known: 0, lost: 0, unanswered: 0, refused: 0, off: [] }
const readAgents = (name: AlertRuleName, rules: AlertRules, counts: AgentCounts): Reading => {
  if (name === 'agents-stale') return agentsStale(counts, rules[name])
  return name === 'books-off' ? booksOff(counts, rules[name]) : revisionRefused(counts, rules['revision-refused'])
}

/** Subjects of a tenant: `resource/tenant`. No resource has a slash in its name. */
export const tenantSubject = (resource: string, tenant: string): string => `${resource}/${tenant}`
const rateOf = ({ rates }: PublishedService, subject: string): number => {
  const slash = subject.indexOf('/')
  return rates.get(subject.slice(0, slash))?.get(subject.slice(slash + 1)) ?? 0
}

/** Tenants are looked at only while quotas refuse: otherwise nothing of theirs is refused. */
const quiet = (buckets: Buckets<TenantBucket> | undefined, from: number, to: number): Buckets<TenantBucket> => {
  const all: Buckets<TenantBucket> = new Map()
  for (let second = from; second < to; second += ALERT_BUCKET_SECONDS)
    all.set(second, buckets?.get(second) ?? { accepted: 0, refused: 0 })
  return all
}
