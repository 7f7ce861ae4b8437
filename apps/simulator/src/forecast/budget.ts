import type { GateTraffic, Traffic } from '@weir/api'
import { demandSize } from '../engine/demand.ts'

/** What of the traffic is played. */
export interface Part {
  readonly traffic: Traffic
  /** How many of its processes. */
  readonly instances: number
  /** Length of the stretch that was chosen out of the whole, seconds; `null`: all of it. */
  readonly stretchSeconds: number | null
}

/**
 * As much of the traffic as `maxArrivals` allows: fewer of its processes first, for they are alike; then, of counts per bin, the busiest stretch, for
 * that is where a policy shows.
 */
export const within = (traffic: Traffic, maxArrivals: number): Part => {
  const gates = Object.values(traffic.gates)
  const perProcess = gates.reduce((sum, gate) => sum + demandSize(gate), 0) / traffic.instances
  const instances = Math.max(1, Math.min(traffic.instances, Math.floor(maxArrivals / Math.max(1, perProcess))))
  const stepMs = gates[0]?.bins?.stepMs
  if (perProcess <= maxArrivals || stepMs === undefined || gates.some(({ bins }) => bins?.stepMs !== stepMs))
    return { traffic, instances, stretchSeconds: null }
  const { from, to } = busiest(gates, maxArrivals * traffic.instances)
  const cut = Object.fromEntries(Object.entries(traffic.gates).map(([name, gate]) => [name, cutOut(gate, from, to)]))
  return { traffic: { ...traffic, gates: cut }, instances, stretchSeconds: ((to - from) * stepMs) / 1_000 }
}

/** The stretch of bins that holds the most work of all that hold at most `most`; the fullest bin where none does. */
const busiest = (gates: readonly GateTraffic[], most: number): { from: number; to: number } => {
  const length = Math.max(...gates.map(({ bins }) => bins?.offered.length ?? 0))
  const offered = Array.from({ length }, (_, i) => gates.reduce((sum, { bins }) => sum + (bins?.offered[i] ?? 0), 0))
  const peak = offered.indexOf(Math.max(...offered))
  let best = { from: peak, to: peak + 1, sum: -1 }
  let sum = 0
  let from = 0
  for (let to = 1; to <= length; to++) {
    sum += offered[to - 1] ?? 0
    while (sum > most) sum -= offered[from++] ?? 0
    if (sum > best.sum && from < to) best = { from, to, sum }
  }
  return best
}

const cutOut = (gate: GateTraffic, from: number, to: number): GateTraffic => {
  if (!gate.bins) return gate
  const rows = <T extends Partial<Record<string, readonly number[]>>>(counts: T): T =>
    Object.fromEntries(Object.entries(counts).map(([key, row]) => [key, row?.slice(from, to)])) as T
  const { classes, tenants, offered } = gate.bins
  const bins = {
    ...gate.bins,
    offered: offered.slice(from, to),
    ...(classes && { classes: rows(classes) }),
    ...(tenants && { tenants: rows(tenants) }),
  }
  return { ...gate, bins }
}
