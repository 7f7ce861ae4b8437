import type { GateTraffic, Traffic } from '@weir/api'
import { CRITICALITIES, NAME } from '@weir/policy/model'
import { percentile } from '../outcomes/histogram.ts'
import type { Figures, OutcomeQuery, OutcomeSlice, OutcomeStore, Step } from '../outcomes/outcome-store.ts'
import type { ServiceRef } from '../services/service-ref.ts'
import { mostActive, serviceModel } from './service-model.ts'

/** Gates of one service that are played: those that were offered the most. */
const MOST_GATES = 20
const MOST_SERIES = 50
/** Where the store puts what has no series of its own. */
const OTHER = 'other'
const MOST_OTHERS = 10_000

/** As fine as is kept and not needlessly large: a bin holds the rate of its time, within it work is spread by chance. */
const stepOf = (seconds: number): Step => (seconds <= 900 ? 1 : seconds <= 21_600 ? 10 : 60)

type Range = Pick<OutcomeQuery, 'environment' | 'service' | 'from' | 'to' | 'step' | 'bucket'>

/** The traffic that a service had, out of the roll-ups: per bin and gate, by class and by tenant, with what is known of the service's own speed. */
export class RecordedTraffic {
  readonly #store: OutcomeStore
  readonly #now: () => number

  constructor(store: OutcomeStore, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  /** The last so many whole seconds. Without gates where nothing was offered. */
  async read({ environment, service }: ServiceRef, seconds: number): Promise<Traffic> {
    const step = stepOf(seconds)
    const to = Math.floor(this.#now() / 1_000 / step) * step
    // The oldest second kept may be dropped while it is read.
    const from = to - Math.floor(seconds / step) * step + step
    const range = { environment, service, from, to, step, bucket: step }
    const total = await this.#query(range, null, 'total')
    const gates: Record<string, GateTraffic> = {}
    for (const [name, rows] of heaviest(total)) {
      const gate = await this.#gate(range, name, rows)
      if (gate) gates[name] = gate
    }
    return {
      version: 1,
      service,
      from: new Date(from * 1_000).toISOString(),
      to: new Date(to * 1_000).toISOString(),
      instances: instancesOf(total, step),
      gates,
    }
  }

  async #gate(range: Range, name: string, rows: OutcomeSlice['rows']): Promise<GateTraffic | null> {
    const figures = rows.map((row) => row.figures)
    const service = serviceModel(figures)
    if (service === null) return null
    const [classes, tenants] = await Promise.all([
      this.#query(range, name, 'class'),
      this.#query(range, name, 'tenant'),
    ])
    const offered = counts(range, rows)
    const byTenant = series(range, tenants)
    return {
      service,
      trusted: true,
      bins: {
        stepMs: range.step * 1_000,
        offered,
        classes: Object.fromEntries(
          Object.entries(series(range, classes)).filter(([label]) =>
            (CRITICALITIES as readonly string[]).includes(label),
          ),
        ),
        tenants: byTenant,
        others: othersOf(byTenant),
      },
      measured: measuredOf(figures),
    }
  }

  #query(range: Range, name: string | null, cut: 'total' | 'class' | 'tenant'): Promise<OutcomeSlice> {
    const labelBy = cut === 'total' ? 'name' : 'label'
    return this.#store.query({ ...range, kind: 'gate', name, edge: null, cut, labelBy, maxSeries: MOST_SERIES })
  }
}

const offeredOf = (rows: OutcomeSlice['rows']): number => rows.reduce((sum, row) => sum + (row.figures.offered ?? 0), 0)

const heaviest = ({ rows }: OutcomeSlice): [string, OutcomeSlice['rows']][] =>
  [...Map.groupBy(rows, ({ label }) => label)]
    // Others than agents may send figures, under any name.
    .filter(([name, of]) => NAME.test(name) && offeredOf(of) > 0)
    .sort(([, a], [, b]) => offeredOf(b) - offeredOf(a))
    .slice(0, MOST_GATES)

const counts = ({ from, to, step }: Range, rows: OutcomeSlice['rows']): number[] => {
  const bins = new Array<number>((to - from) / step).fill(0)
  // Windows are split by time: what is left of a count is a fraction of a thousandth at most.
  for (const { second, figures } of rows) bins[(second - from) / step] = Math.round((figures.offered ?? 0) * 1e3) / 1e3
  return bins
}

const series = (range: Range, { rows }: OutcomeSlice): Record<string, number[]> =>
  Object.fromEntries([...Map.groupBy(rows, ({ label }) => label)].map(([label, of]) => [label, counts(range, of)]))

/** Tenants without a series of their own were offered less than any that has one: so many there are at least. */
const othersOf = (tenants: Readonly<Record<string, readonly number[]>>): number => {
  const sizes = Object.entries(tenants).map(([name, row]) => ({ name, size: row.reduce((sum, n) => sum + n, 0) }))
  const other = sizes.find(({ name }) => name === OTHER)?.size ?? 0
  const least = Math.min(...sizes.filter(({ name, size }) => name !== OTHER && size > 0).map(({ size }) => size))
  return Number.isFinite(least) ? Math.max(1, Math.min(MOST_OTHERS, Math.ceil(other / least))) : 1
}

/** Processes, as a rule of the time: the median over the bins of how many were heard. */
const instancesOf = ({ rows }: OutcomeSlice, step: number): number => {
  const bySecond = Map.groupBy(rows, ({ second }) => second)
  const heard = [...bySecond.values()]
    .map((of) => Math.max(...of.map(({ figures }) => (figures.gauge_seconds ?? 0) / step)))
    .filter((n) => n > 0)
    .sort((a, b) => a - b)
  return Math.max(1, Math.min(10_000, Math.round(heard[heard.length >> 1] ?? 1)))
}

const measuredOf = (rows: readonly Figures[]): NonNullable<GateTraffic['measured']> => {
  const total = (column: 'offered' | 'shed' | 'expired' | 'completed') =>
    Math.round(rows.reduce((sum, row) => sum + (row[column] ?? 0), 0))
  const durations = rows.flatMap(({ duration_counts: of }) => (of === null ? [] : [of]))
  const p99 = percentile(durations[0]?.map((_, i) => durations.reduce((sum, of) => sum + (of[i] ?? 0), 0)) ?? [], 0.99)
  return {
    offered: total('offered'),
    shed: total('shed'),
    expired: total('expired'),
    completed: total('completed'),
    p99Ms: p99 === null ? null : p99 * 1_000,
    mostActive: mostActive(rows),
  }
}
