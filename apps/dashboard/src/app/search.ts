import type { AgentState } from '@weir/api'
import { COMPARED, type Compared } from '../outcomes/earlier.ts'
import { isTime, type RangeSearch, rangeSearch } from '../outcomes/range.ts'

type Raw = Record<string, unknown>

const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value)

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && String(value) !== ''
    ? String(value).slice(0, 128)
    : undefined

/** Leaves out what is undefined, so that a URL says only what differs from the default. */
const said = <T extends object>(search: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

export type OverviewSearch = RangeSearch & { gates?: 'all'; services?: 'all'; search?: string; compare?: Compared }
export const overviewSearch = (raw: Raw): OverviewSearch => ({
  ...rangeSearch(raw),
  ...said({
    gates: oneOf(raw.gates, ['all']),
    services: oneOf(raw.services, ['all']),
    search: text(raw.search),
    compare: oneOf(raw.compare, COMPARED),
  }),
})

export const BREAKDOWNS = ['reason', 'class', 'tenant', 'revision'] as const
export type Breakdown = (typeof BREAKDOWNS)[number]
export const BROKEN_DOWN = ['shed', 'offered', 'accepted', 'expired', 'completed'] as const
export type BrokenDown = (typeof BROKEN_DOWN)[number]

/** Of a page of figures: a service, a gate or a dependency. */
export type FiguresSearch = RangeSearch & {
  by?: Exclude<Breakdown, 'reason'>
  figure?: BrokenDown
  /** The moment whose refusals are explained, and the reason that they are narrowed down to. */
  at?: string
  why?: string
  compare?: Compared
  /** All processes are listed, not only the first. */
  processes?: 'all'
}
export const figuresSearch = (raw: Raw): FiguresSearch => ({
  ...rangeSearch(raw),
  ...said({
    by: oneOf(raw.by, ['class', 'tenant', 'revision']),
    figure: oneOf(raw.figure, ['offered', 'accepted', 'expired', 'completed']),
    at: isTime(raw.at) ? raw.at : undefined,
    why: text(raw.why),
    compare: oneOf(raw.compare, COMPARED),
    processes: oneOf(raw.processes, ['all']),
  }),
})

/** Addresses of before gates had a page of their own named the gate here. */
export type ServiceSearch = FiguresSearch & { gate?: string }
export const serviceSearch = (raw: Raw): ServiceSearch => ({ ...figuresSearch(raw), ...said({ gate: text(raw.gate) }) })

/** `gate` or `dependency`: the part of the policy that is opened. */
export type PolicySearch = { view?: 'form' | 'document'; gate?: string; dependency?: string }
export const policySearch = (raw: Raw): PolicySearch =>
  said({
    view: oneOf(raw.view, ['form', 'document']),
    gate: text(raw.gate),
    dependency: text(raw.dependency),
  })

export type QuotasSearch = { search?: string }
export const quotasSearch = (raw: Raw): QuotasSearch => said({ search: text(raw.search) })

export const AGENT_FILTERS = [
  'refused',
  'pending',
  'fallback',
  'override',
  'uncounted',
  'lost',
  'ended',
] as const satisfies readonly AgentState[]
export type AgentFilter = (typeof AGENT_FILTERS)[number]
export type AgentsSearch = { search?: string; show?: AgentFilter }
export const agentsSearch = (raw: Raw): AgentsSearch =>
  said({ search: text(raw.search), show: oneOf(raw.show, AGENT_FILTERS) })

export const ALERT_TABS = ['silences', 'receivers', 'rules'] as const
export type AlertTab = (typeof ALERT_TABS)[number]
export const ALERT_STATES = ['firing', 'resolved'] as const
/** Without a state both are shown, without a service all. */
export type AlertsSearch = {
  tab?: AlertTab
  runbook?: string
  state?: (typeof ALERT_STATES)[number]
  service?: string
}
export const alertsSearch = (raw: Raw): AlertsSearch =>
  said({
    tab: oneOf(raw.tab, ALERT_TABS),
    runbook: text(raw.runbook),
    state: oneOf(raw.state, ALERT_STATES),
    service: text(raw.service),
  })
