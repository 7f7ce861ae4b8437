import { ATTRIBUTES, METRICS, type MetricName } from '@weir/wire/model'
import {
  type Attribute,
  DELTA,
  type HistogramPoint,
  type Metric,
  type NumberPoint,
  type ResourceMetrics,
} from '../../otlp/model.ts'
import { type Booked, bookTime } from './book-time.ts'
import { METRIC_USES, type MetricUse } from './columns.ts'
import { rebucket } from './histogram.ts'
import { attributeFault, NONE, readResource, type Sender } from './read-resource.ts'
import { Rejections } from './rejections.ts'
import type { TelemetryKey } from './telemetry-key.ts'
import { type Cell, type CellLabels, cellOf, type Window, windowId } from './window.ts'

export interface Reading {
  readonly windows: Window[]
  readonly rejections: Rejections
}

/** Counts and gauges up to this are split and added exactly (2^43, see `timeShares`). */
const MAX_VALUE = 8_796_093_022_208
const MAX_BUCKETS = 200

/** Turns a request into windows. Points that cannot be taken are counted with a reason; the others are unharmed. */
export const readMetrics = (request: readonly ResourceMetrics[], key: TelemetryKey, receivedAtMs: number): Reading => {
  const rejections = new Rejections()
  const windows = new Map<string, Window>()
  for (const { resource, metrics } of request) {
    const points = metrics.reduce((sum, { data }) => sum + (data.kind === 'other' ? data.count : data.points.length), 0)
    const sender = readResource(resource, key, rejections, points)
    if (sender === null) continue
    const reader = new Reader(sender, key, receivedAtMs, rejections, windows)
    for (const metric of metrics) reader.metric(metric)
  }
  return { windows: [...windows.values()], rejections }
}

type Point = NumberPoint | HistogramPoint

class Reader {
  readonly #sender: Sender
  readonly #receivedAtMs: number
  readonly #rejections: Rejections
  readonly #windows: Map<string, Window>
  /** The numbered window of this resource; `null` where every point is a window of its own. */
  readonly #window: Window | null

  constructor(
    sender: Sender,
    key: TelemetryKey,
    receivedAtMs: number,
    rejections: Rejections,
    windows: Map<string, Window>,
  ) {
    this.#sender = sender
    this.#receivedAtMs = receivedAtMs
    this.#rejections = rejections
    this.#windows = windows
    const { numbered, environment, service, instance } = sender
    // A Collector may cut one window into several requests: there every point has an identity of its own.
    this.#window =
      numbered === null || key.kind === 'ingest'
        ? null
        : this.#open(windowId(['window', environment, service, instance, numbered.boot, numbered.sequence]))
  }

  #open(id: string): Window {
    const { environment, service, instance } = this.#sender
    const window = this.#windows.get(id) ?? { id, environment, service, instance, spans: [] }
    this.#windows.set(id, window)
    return window
  }

  metric({ name, data }: Metric): void {
    const count = data.kind === 'other' ? data.count : data.points.length
    const use = Object.hasOwn(METRIC_USES, name) ? METRIC_USES[name as MetricName] : undefined
    if (use === undefined && !name.startsWith('weir.')) this.#rejections.add('not a metric of Weir', count)
    if (use === undefined || use === null) return
    const fault = this.#fault(use, data)
    if (fault !== null) this.#rejections.add(fault, count)
    else if (data.kind !== 'other') for (const point of data.points) this.#point(name as MetricName, use, point)
  }

  #fault(use: MetricUse, data: Metric['data']): string | null {
    const wanted = use.to === 'count' ? 'sum' : use.to === 'histogram' ? 'histogram' : 'gauge'
    if (data.kind !== wanted) return `a metric of another kind than ${wanted}`
    if (data.kind !== 'gauge' && data.temporality !== DELTA) return 'temporality other than delta'
    if (this.#sender.figures === 'spans' && data.kind !== 'gauge') return 'its figures are read from spans'
    return null
  }

  #point(metric: MetricName, use: MetricUse, point: Point): void {
    const read = this.#checked(metric, use, point)
    if (typeof read === 'string') {
      this.#rejections.add(read)
      return
    }
    const { time, name, labels } = read
    const window =
      this.#window ??
      this.#open(
        windowId([
          'point',
          this.#sender.environment,
          this.#sender.service,
          this.#sender.instance,
          metric,
          name,
          ...Object.values(labels).map(String),
          point.startMs,
          point.endMs,
        ]),
      )
    const cell = cellOf(window, time, use.kind, name, labels)
    if (read.edge) cell.edge = true
    if (time.skewed) cell.add('skewed', 1)
    book(cell, use, read.value, read.counts, (time.endMs - time.startMs) / 1000)
  }

  #checked(metric: MetricName, use: MetricUse, point: Point) {
    const fault = attributeFault(point.attributes)
    if (fault !== null) return fault
    const value = readValue(use, point)
    if (value === null) return 'a value that is negative, too large or no number'
    const time: Booked | null = bookTime(point.startMs, point.endMs, this.#receivedAtMs, this.#sender.numbered !== null)
    if (time === null) return 'times that are no window'
    const said = labelsOf(metric, point.attributes)
    const name = use.kind === 'gate' ? said.gate : said.dependency
    if (name === null) return `no ${ATTRIBUTES[use.kind]}`
    return { ...value, time, name, labels: said.labels, edge: said.edge }
  }
}

interface Value {
  readonly value: number
  readonly counts: readonly number[]
}

const readValue = (use: MetricUse, point: Point): Value | null => {
  if ('counts' in point) {
    const sound = point.counts.length <= MAX_BUCKETS && point.counts.every((n) => inRange(n)) && inRange(point.sum)
    const counts = sound && use.to === 'histogram' ? rebucket(point.counts, point.bounds) : null
    return counts === null ? null : { value: point.sum, counts }
  }
  return point.value !== null && inRange(point.value) ? { value: point.value, counts: [] } : null
}
const inRange = (value: number): boolean => value >= 0 && value <= MAX_VALUE

const book = (cell: Cell, use: MetricUse, value: number, counts: readonly number[], seconds: number): void => {
  switch (use.to) {
    case 'count':
      cell.add(use.column, value)
      break
    case 'integral':
      cell.add(use.column, use.of(value) * seconds)
      if (use.column === LONGEST_HEARD[use.kind]) cell.add('gauge_seconds', seconds)
      break
    case 'peak':
      cell.peak(use.column, use.of(value))
      break
    case 'histogram':
      cell.count(use.column, counts)
      cell.add(use.sum, value)
  }
}

/** The gauge that every agent sends for every gate or dependency: by it, it is known how long instances were heard. */
const LONGEST_HEARD = { gate: 'active_integral', dependency: 'in_flight_integral' } as const

interface Said {
  readonly gate: string | null
  readonly dependency: string | null
  readonly edge: boolean
  readonly labels: CellLabels
}

const LABELS = ['class', 'tenant', 'reason', 'revision'] as const
type Label = (typeof LABELS)[number]
const SAID = ['gate', 'dependency', ...LABELS] as const
const SLOT_OF = new Map<string, number>(SAID.map((name, slot) => [ATTRIBUTES[name], slot]))
const SLOTS = Object.fromEntries(SAID.map((name, slot) => [name, slot])) as Record<(typeof SAID)[number], number>

/** Which labels a metric is told by. */
const WANTED = new Map<string, Readonly<Record<Label, boolean>>>(
  Object.entries(METRICS).map(([metric, { attributes }]) => {
    const told: readonly string[] = attributes
    const of = (label: Label) => told.includes(label)
    return [metric, { class: of('class'), tenant: of('tenant'), reason: of('reason'), revision: of('revision') }]
  }),
)

/** The labels that the metric's row of the table has; one that was left out is `none`. */
const labelsOf = (metric: MetricName, attributes: readonly Attribute[]): Said => {
  const said = ['', '', '', '', '', '']
  let edge = false
  for (const { key, value } of attributes) {
    const slot = SLOT_OF.get(key)
    if (slot !== undefined && value !== null) said[slot] = typeof value === 'string' ? value : String(value)
    else if (key === ATTRIBUTES.edge) edge = value === true
  }
  const wanted = WANTED.get(metric)
  const label = (name: Label) => (wanted?.[name] === true ? said[SLOTS[name]] || NONE : null)
  return {
    gate: said[SLOTS.gate] || null,
    dependency: said[SLOTS.dependency] || null,
    edge,
    labels: { class: label('class'), tenant: label('tenant'), reason: label('reason'), revision: label('revision') },
  }
}
