import { Gate, type GateSettings } from '@weir/agent/simulation'
import type { GateTraffic } from '@weir/api'
import { type EffectivePolicy, SOLE } from '@weir/policy/model'
import { seededRandom, virtualRuntime } from '@weir/testkit'
import type { MetricName } from '@weir/wire/model'
import { demand } from '../../../../simulator/src/engine/demand.ts'
import { serviceTimes } from '../../../../simulator/src/engine/service-time.ts'
import { Station } from '../../../../simulator/src/engine/station.ts'
import { HISTOGRAMS, METRIC_USES, PEAKS, type PeakColumn, SUMS, type SumColumn } from '../outcomes/columns.ts'
import { type Figures, type OutcomeQuery, type OutcomeSlice, OutcomeStore } from '../outcomes/outcome-store.ts'
import { coarsen, type Row, rollUp } from '../outcomes/roll-up.ts'
import { ServiceSeats } from '../outcomes/seats.ts'
import { addTo } from '../outcomes/tally.ts'
import { cellOf, type Window, windowId } from '../outcomes/window.ts'

const WINDOW_MS = 5_000
/** Start of the recording: any whole hour. */
export const START_MS = 1_800_000_000_000

/** Lets one agent's gate live through the traffic, and keeps what it would have sent: windows of five seconds. */
export const live = async (traffic: GateTraffic, effective: EffectivePolicy, seed: number): Promise<Window[]> => {
  const runtime = virtualRuntime(seed)
  const { time } = runtime
  const policy = effective.policy.gates.checkout
  if (!policy) throw new Error('The policy says nothing of checkout.')
  const settings: GateSettings = { policy, tenants: effective.policy.tenants, quotas: {}, split: SOLE, revision: 1 }
  const gate = new Gate({ name: 'checkout', runtime, settings })
  const station = new Station(time, traffic.service.concurrency)
  const random = seededRandom(seed)
  const draw = serviceTimes(traffic.service.time, random)
  const source = demand(traffic, random)
  const windows: Window[] = []
  const settle = async (untilMs: number) => {
    while (time.step(untilMs)) await null
    time.advance(untilMs - time.now())
  }
  for (let next = source.next(); next.done !== true; next = source.next()) {
    const { atMs, class: criticality, tenant } = next.value
    while ((windows.length + 1) * WINDOW_MS <= atMs) {
      await settle((windows.length + 1) * WINDOW_MS)
      windows.push(windowOf(gate, START_MS + windows.length * WINDOW_MS))
    }
    await settle(atMs)
    void Promise.resolve(gate.acquire({ criticality, tenant })).then(
      (entry) => entry.accepted && station.start(draw(), () => entry.success()),
    )
    await null
    await null
  }
  await settle((windows.length + 1) * WINDOW_MS)
  windows.push(windowOf(gate, START_MS + windows.length * WINDOW_MS))
  gate.close()
  return windows
}

const windowOf = (gate: Gate, startMs: number): Window => {
  const id = windowId([startMs])
  const window: Window = { id, environment: 'prod', service: 'orders', instance: 'one', numbered: null, stretches: [] }
  const time = { startMs, endMs: startMs + WINDOW_MS }
  const seconds = WINDOW_MS / 1_000
  const cell = (attributes: Readonly<Record<string, unknown>>) => {
    const label = (key: string) => (key in attributes ? String(attributes[key]) || 'none' : null)
    const labels = { class: label('class'), tenant: label('tenant'), reason: null, revision: null }
    return cellOf(window, time, 'gate', 'checkout', labels)
  }
  gate.collect({
    counter: (name: MetricName, delta, attributes) => {
      const use = METRIC_USES[name]
      if (use?.to === 'count') cell({ ...attributes }).add(use.column, delta)
    },
    gauge: (name: MetricName, value) => {
      const use = METRIC_USES[name]
      if (use?.to === 'integral') cell({}).add(use.column, use.of(value) * seconds)
    },
    histogram: (name: MetricName, counts, sum) => {
      const use = METRIC_USES[name]
      if (use?.to !== 'histogram') return
      cell({}).count(use.column, counts)
      cell({}).add(use.sum, sum)
    },
  })
  cell({}).add('gauge_seconds', seconds)
  return window
}

/** Roll-ups in memory, as far as recorded traffic asks for them. */
export class MemoryOutcomes extends OutcomeStore {
  readonly #rows: Row[]

  constructor(windows: readonly Window[]) {
    super()
    this.#rows = [...rollUp(windows, new ServiceSeats(), START_MS).values()]
  }

  override async query({ cut, name, from, to, bucket, labelBy }: OutcomeQuery): Promise<OutcomeSlice> {
    const wanted = this.#rows.filter((row) => row.cut === cut && (name === null || row.name === name))
    const rows = [...coarsen(wanted, bucket).values()].filter(({ second }) => second >= from && second < to)
    return {
      rows: rows.map((row) => ({
        second: row.second,
        label: labelBy === 'name' ? row.name : row.label,
        figures: figuresOf(row),
      })),
      heard: [],
      total: figuresOf(rows.reduce((sum, row) => addTo(sum, row, 1))),
    }
  }

  override write(): never {
    throw new Error('not asked for')
  }
  override shedding(): never {
    throw new Error('not asked for')
  }
  override maintain(): never {
    throw new Error('not asked for')
  }
}

const figuresOf = ({ sums, peaks, histograms }: Row): Figures => {
  const columns: [SumColumn | PeakColumn, number | null][] = [
    ...SUMS.map((column, i): [SumColumn, number] => [column, sums[i] ?? 0]),
    ...PEAKS.map((column, i): [PeakColumn, number | null] => [column, peaks[i] ?? null]),
  ]
  const counts = HISTOGRAMS.map((column) => [column, histograms[column] ? [...histograms[column]] : null])
  return Object.fromEntries([...columns, ...counts]) as Figures
}
