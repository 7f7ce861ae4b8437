import type { GateTraffic, RecordedArrival } from '@weir/api'
import type { Criticality } from '@weir/policy/model'
import { arrivals, even, hold, lengthMs, mixed, poisson, type Random, ramp } from '@weir/testkit'

/** Work that arrives. */
export interface Demand {
  atMs: number
  class: Criticality | undefined
  tenant: string | undefined
  deadlineMs: number | undefined
}

type Weights<K extends string> = Partial<Readonly<Record<K, number>>> | undefined

/** Length of the recording, milliseconds. */
export const demandLengthMs = ({ bins, load, arrivals: recorded }: GateTraffic): number => {
  if (bins) return bins.offered.length * bins.stepMs
  if (load) return load.stretches.reduce((sum, { ms }) => sum + ms, 0)
  return recorded?.[recorded.length - 1]?.atMs ?? 0
}

/** How much work arrives, on average where chance decides. */
export const demandSize = ({ bins, load, arrivals: recorded }: GateTraffic): number => {
  if (bins) return bins.offered.reduce((sum, n) => sum + n, 0)
  if (load)
    return load.stretches.reduce((sum, { ms, perSecond, to = perSecond }) => sum + (perSecond + to) * ms, 0) / 2_000
  return recorded?.length ?? 0
}

/** The arrivals of one gate, ascending, made one at a time. The object that is handed out is the same each time. */
export const demand = (traffic: GateTraffic, random: Random): Iterator<Demand> => {
  const { bins, load, arrivals: recorded, deadlineMs } = traffic
  if (recorded) return replayed(recorded, deadlineMs)
  return bins ? binned(bins, deadlineMs, random) : synthetic(load as NonNullable<typeof load>, deadlineMs, random)
}

function* replayed(recorded: readonly RecordedArrival[], deadlineMs: number | undefined): Generator<Demand> {
  const one: Demand = blank(deadlineMs)
  for (const { atMs, class: klass, tenant, deadlineMs: own } of recorded) {
    one.atMs = atMs
    one.class = klass
    one.tenant = tenant
    one.deadlineMs = own ?? deadlineMs
    yield one
  }
}

function* synthetic(
  load: NonNullable<GateTraffic['load']>,
  deadlineMs: number | undefined,
  random: Random,
): Generator<Demand> {
  const one = blank(deadlineMs)
  const klass = drawer(load.classes, random)
  const tenant = drawer(load.tenants, random)
  const shape = load.stretches.map(({ ms, perSecond, to }) =>
    to === undefined ? hold(perSecond, ms) : ramp(perSecond, to, ms),
  )
  if (!(lengthMs(shape) > 0)) return
  for (const atMs of arrivals(shape, load.spread === 'even' ? even : poisson(random))) {
    one.atMs = atMs
    one.class = klass()
    one.tenant = tenant()
    yield one
  }
}

/** As many as were counted, at moments that are independent of each other inside a bin: Poisson arrivals, given their number. */
function* binned(
  bins: NonNullable<GateTraffic['bins']>,
  deadlineMs: number | undefined,
  random: Random,
): Generator<Demand> {
  const one = blank(deadlineMs)
  // Counts of a window that lies in several bins are fractions: what is left over goes on to the next.
  let left = 0
  for (const [bin, offered] of bins.offered.entries()) {
    left += offered
    const count = Math.floor(left + 1e-9)
    left -= count
    if (count === 0) continue
    const klass = drawer(countsAt(bins.classes, bin), random)
    const tenant = spreadOthers(drawer(countsAt(bins.tenants, bin), random), bins.others, random)
    const moments = Float64Array.from({ length: count }, random).sort()
    for (const moment of moments) {
      one.atMs = (bin + moment) * bins.stepMs
      one.class = klass()
      one.tenant = tenant()
      yield one
    }
  }
}

const blank = (deadlineMs: number | undefined): Demand => ({
  atMs: 0,
  class: undefined,
  tenant: undefined,
  deadlineMs,
})

const countsAt = <K extends string>(
  counts: Partial<Readonly<Record<K, readonly number[]>>> | undefined,
  bin: number,
): Weights<K> =>
  counts &&
  (Object.fromEntries(
    Object.entries<readonly number[] | undefined>(counts).map(([key, row]) => [key, row?.[bin] ?? 0]),
  ) as Weights<K>)

const NOBODY = () => undefined

/** What the store calls work that named none. */
const NONE = 'none'

const drawer = <K extends string>(weights: Weights<K>, random: Random): (() => K | undefined) => {
  const entries = Object.entries<number | undefined>(weights ?? {}).map(
    ([key, weight]) => [key === NONE ? undefined : (key as K), weight ?? 0] as const,
  )
  return entries.some(([, weight]) => weight > 0) ? mixed(entries, random) : NOBODY
}

/** What the store calls tenants that have no series of their own, and the simulation each of them. */
const OTHER = 'other'
export const isOther = (tenant: string): boolean => tenant === OTHER || /^other \d+$/.test(tenant)

const spreadOthers = (draw: () => string | undefined, others: number, random: Random): (() => string | undefined) =>
  others === 1
    ? draw
    : () => {
        const tenant = draw()
        return tenant === OTHER ? `${OTHER} ${Math.floor(random() * others)}` : tenant
      }
