import { DEFAULT_GATE, DEFAULT_TENANTS, type GatePolicy, type Quota, SOLE, UNLIMITED } from '@weir/policy/model'
import { settled, type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import type { MetricName } from '@weir/wire/model'
import type { FigureAttributes } from '../core/figures.ts'
import { type Entry, Gate, type GateOptions, type GateSettings, type Permit, type Work } from './gate.ts'

type Part<T> = { readonly [K in keyof T]?: T[K] extends object ? Partial<T[K]> : T[K] }

/** A complete gate policy from the parts that a test cares about; `limit` is short for a fixed limit. */
export const gatePolicy = (parts: Part<GatePolicy> & { limit?: number } = {}): GatePolicy => {
  const { limit = 2, ...rest } = parts
  return {
    ...DEFAULT_GATE,
    resource: 'gate',
    ...rest,
    concurrency: { algorithm: 'fixed', floor: 1, initial: limit, ceiling: limit, ...rest.concurrency },
    queue: { ...DEFAULT_GATE.queue, ...rest.queue },
    deadline: { ...DEFAULT_GATE.deadline, ...rest.deadline },
    classes: { ...DEFAULT_GATE.classes, highest: 'critical-plus', ...rest.classes },
    retryAfter: { ...DEFAULT_GATE.retryAfter, ...rest.retryAfter },
    degrade: { ...DEFAULT_GATE.degrade, ...rest.degrade },
    consumer: { ...DEFAULT_GATE.consumer, ...rest.consumer },
    signals: {},
  }
}

export const quota = (parts: Partial<Quota>): Quota => ({ ...UNLIMITED, ...parts })

export const settings = (policy: GatePolicy, parts: Partial<GateSettings> = {}): GateSettings => ({
  policy,
  tenants: DEFAULT_TENANTS,
  quotas: {},
  split: SOLE,
  revision: 1,
  ...parts,
})

export interface Bench {
  readonly gate: Gate
  readonly runtime: VirtualRuntime
  /** Sums of every counter since the gate was made, by metric without its prefix; collects first. */
  figures(): Figures
}

export interface Figures {
  /** Sum of a counter over all attributes that match. */
  sum(name: string, match?: FigureAttributes): number
  gauge(name: string): number
  readonly rows: readonly { name: MetricName; delta: number; attributes: FigureAttributes }[]
  readonly histograms: readonly { name: MetricName; count: number; sum: number }[]
}

export const bench = (given: GateSettings, options: Partial<GateOptions> = {}): Bench => {
  const runtime = virtualRuntime()
  const gate = new Gate({ name: 'gate', runtime, settings: given, ...options })
  const rows: { name: MetricName; delta: number; attributes: FigureAttributes }[] = []
  const histograms: { name: MetricName; count: number; sum: number }[] = []
  const gauges = new Map<string, number>()
  const figures = (): Figures => {
    gate.collect({
      counter: (name, delta, attributes) => rows.push({ name, delta, attributes: { ...attributes } }),
      gauge: (name, value) => gauges.set(name, value),
      histogram: (name, counts, sum) => histograms.push({ name, count: counts.reduce((a, b) => a + b, 0), sum }),
    })
    return {
      rows,
      histograms,
      gauge: (name) => gauges.get(`weir.gate.${name}`) ?? Number.NaN,
      sum: (name, match = {}) =>
        rows
          .filter((row) => row.name === `weir.gate.${name}`)
          .filter(({ attributes }) =>
            Object.entries(match).every(([key, value]) => Reflect.get(attributes, key) === value),
          )
          .reduce((sum, row) => sum + row.delta, 0),
    }
  }
  return { gate, runtime, figures }
}

/** The permit of work that must have been accepted. */
export const permitOf = (entry: Entry): Permit => {
  if (!entry.accepted) throw new Error(`refused: ${entry.reason}`)
  return entry
}

/** The word for what became of work. */
export const said = (entry: Entry): string => (entry.accepted ? 'accepted' : entry.reason)

/** Asks, and notes the answer under a name as soon as there is one. */
export const asking = (gate: Gate) => {
  const answers: Record<string, Entry> = {}
  const ask = (name: string, work: Work = {}) => {
    const entry = gate.acquire(work)
    if ('accepted' in entry) answers[name] = entry
    else void entry.then((settledEntry) => Object.assign(answers, { [name]: settledEntry }))
  }
  const words = async () => {
    await settled()
    return Object.fromEntries(Object.entries(answers).map(([name, entry]) => [name, said(entry)]))
  }
  return { ask, answers, words }
}

/** A gate whose only slot is taken. */
export const full = (parts: Parameters<typeof gatePolicy>[0] = {}) => {
  const made = bench(settings(gatePolicy({ limit: 1, ...parts })))
  const holder = permitOf(made.gate.tryAcquire({}))
  return { ...made, holder, ...asking(made.gate) }
}
