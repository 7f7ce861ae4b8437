import type { LiveRow } from '@weir/api'
import type { LiveBroadcast } from '../live/live-port.ts'
import {
  DEPENDENCY_FIGURE_COLUMNS,
  DEPENDENCY_GAUGE_COLUMNS,
  GATE_FIGURE_COLUMNS,
  GATE_GAUGE_COLUMNS,
  HISTOGRAMS,
  PEAKS,
  SUM_INDEX,
  type SumColumn,
} from './columns.ts'
import { percentile } from './histogram.ts'
import type { Row, Rows } from './roll-up.ts'
import { addTo } from './tally.ts'

/** A second is told when this much has passed since its end: windows of agents that export each second have arrived then. */
const LATENESS_SECONDS = 1
/** Older seconds are not told again: they cover the sparse export interval of 10 s. What is later still is seen when history is read. */
const MEMORY_SECONDS = 14
/** Series of one second that are remembered; services times their bounded series. */
const MAX_ROWS = 50_000

interface Second {
  readonly rows: Rows
  /** Environments in which something changed since they were told. */
  readonly changed: Set<string>
}

/** Tells dashboards of every finished second, and again when more of it arrives. */
export class LiveFeed {
  readonly #seconds = new Map<number, Second>()
  readonly #live: LiveBroadcast

  constructor(live: LiveBroadcast) {
    this.#live = live
  }

  /** Rows of one second that were just made durable. */
  add(rows: Rows, nowMs: number): void {
    const oldest = Math.floor(nowMs / 1000) - MEMORY_SECONDS
    for (const [key, row] of rows) {
      if (row.second < oldest || row.cut === 'instance' || row.cut === 'revision') continue
      const second = this.#seconds.get(row.second) ?? { rows: new Map(), changed: new Set() }
      this.#seconds.set(row.second, second)
      const known = second.rows.get(key)
      if (known !== undefined) addTo(known, row, 1)
      else if (second.rows.size < MAX_ROWS) second.rows.set(key, row)
      second.changed.add(row.environment)
    }
  }

  /** Called once a second. */
  tick(nowMs: number): void {
    const now = Math.floor(nowMs / 1000)
    for (const [at, second] of [...this.#seconds].sort(([a], [b]) => a - b)) {
      if (at < now - MEMORY_SECONDS) this.#seconds.delete(at)
      else if (at + 1 + LATENESS_SECONDS <= now) this.#tell(at, second)
    }
  }

  #tell(at: number, { rows, changed }: Second): void {
    for (const environment of changed) {
      if (!this.#live.watched(environment)) continue
      const own = [...rows.values()].filter((row) => row.environment === environment)
      this.#live.tick(environment, new Date(at * 1000), liveRows(own))
    }
    changed.clear()
  }
}

const liveRows = (rows: readonly Row[]): LiveRow[] =>
  [...Map.groupBy(rows, (row) => `${row.kind}\n${row.service}\n${row.name}`).values()].flatMap((group) => {
    const total = group.find((row) => row.cut === 'total')
    if (total === undefined) return []
    const { kind, service, name, edge } = total
    return [{ kind, service, name, edge, figures: figuresOf(total), by: byOf(group) }]
  })

const sumOf = (row: Row, column: SumColumn): number => row.sums[SUM_INDEX[column]] ?? 0

const countsOf = (row: Row): Record<string, number> => {
  const columns: Readonly<Record<string, SumColumn>> =
    row.kind === 'gate' ? GATE_FIGURE_COLUMNS : DEPENDENCY_FIGURE_COLUMNS
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sumOf(row, column)]))
}

const figuresOf = (row: Row): Record<string, number> => {
  const figures = countsOf(row)
  const heard = sumOf(row, 'gauge_seconds')
  if (heard > 0)
    for (const [name, column] of Object.entries(row.kind === 'gate' ? GATE_GAUGE_COLUMNS : DEPENDENCY_GAUGE_COLUMNS)) {
      const peak = (PEAKS as readonly string[]).indexOf(column)
      const value = peak < 0 ? sumOf(row, column as SumColumn) : (row.peaks[peak] ?? Number.NaN)
      if (!Number.isNaN(value)) figures[name] = column === 'budget_left_integral' ? value / heard : value
    }
  const [wait, duration] = HISTOGRAMS.map((column) => row.histograms[column])
  const told: [string, readonly number[] | undefined, number][] = [
    ['waitP50', wait, 0.5],
    ['waitP99', wait, 0.99],
    ['p50', duration, 0.5],
    ['p90', duration, 0.9],
    ['p99', duration, 0.99],
  ]
  for (const [name, counts, q] of told) {
    const value = counts === undefined ? null : percentile(counts, q)
    if (value !== null) figures[name] = value
  }
  return figures
}

const byOf = (group: readonly Row[]): NonNullable<LiveRow['by']> => {
  const of = (cut: string) =>
    Object.fromEntries(
      group
        .filter((row) => row.cut === cut)
        .map((row) => [
          row.label,
          Object.fromEntries(Object.entries(countsOf(row)).filter(([, value]) => value !== 0)),
        ]),
    )
  return { reason: of('reason'), class: of('class'), tenant: of('tenant') }
}
