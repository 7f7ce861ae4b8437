import { ATTRIBUTES, METRICS, type MetricName } from '@weir/wire/model'
import {
  type Attribute,
  DELTA,
  type HistogramPoint,
  type Metric,
  type NumberPoint,
  type ResourceMetrics,
} from '../../otlp/model.ts'
import { type Booked, bookTime, piecesOf } from './book-time.ts'
import { METRIC_USES, type MetricUse } from './columns.ts'
import { rebucket } from './histogram.ts'
import { attributeFault, NONE, readResource, type Sender } from './read-resource.ts'
import { Rejections } from './rejections.ts'
import type { TelemetryKey } from './telemetry-key.ts'
import { type Cell, cellOf, type LabelCut, type Labels, type Window, windowId } from './window.ts'

export interface Reading {
  readonly windows: Window[]
  readonly rejections: Rejections
  /** Pieces that its points are split into by time, beyond one for each. */
  readonly spread: number
}

/** Counts and gauges up to this are split and added exactly (2^43, see `timeShares`). */
const MAX_VALUE = 8_796_093_022_208
const MAX_BUCKETS = 200

/** Turns a request into windows. Points that cannot be taken are counted with a reason; the others are unharmed. */
export const readMetrics = (request: readonly ResourceMetrics[], key: TelemetryKey, receivedAtMs: number): Reading => {
  const rejections = new Rejections()
  const windows = new Map<string, Window>()
  let seconds = 0
  for (const { resource, metrics } of request) {
    const points = metrics.reduce((sum, { data }) => sum + (data.kind === 'other' ? data.count : data.points.length), 0)
    const sender = readResource(resource, key, rejections, points)
    if (sender === null) continue
    const reader = new Reader(sender, key, receivedAtMs, rejections, windows)
    for (const metric of metrics) reader.metric(metric)
    seconds += reader.spread
  }
  const { pieceSeconds, spread } = piecesOf(seconds)
  if (pieceSeconds > 1)
    for (const { stretches } of windows.values()) for (const stretch of stretches) stretch.pieceSeconds = pieceSeconds
  return { windows: [...windows.values()], rejections, spread }
}

type Point = NumberPoint | HistogramPoint

/** A numbered window is one stretch of time, told by all of its points. More would be looked for among one another. */
const MAX_STRETCHES = 16

class Reader {
  /** Seconds beyond the first of each point, added up. */
  spread = 0
  readonly #sender: Sender
  readonly #receivedAtMs: number
  readonly #rejections: Rejections
  readonly #windows: Map<string, Window>
  /** The numbered window of this resource; `null` where every point is a window of its own. */
  readonly #window: Window | null
  readonly #said = new Said()
  /** Times are the same from point to point. */
  #startMs = Number.NaN
  #endMs = Number.NaN
  #booked: Booked | null = null

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
        : this.#open(windowId(['window', environment, service, instance, numbered.boot, numbered.sequence]), numbered)
  }

  #open(id: string, numbered: Sender['numbered'] = null): Window {
    const { environment, service, instance } = this.#sender
    const window = this.#windows.get(id) ?? { id, environment, service, instance, numbered, stretches: [] }
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
    else if (data.kind !== 'other')
      for (const point of data.points) {
        const refused = this.#point(name as MetricName, use, point)
        if (refused !== null) this.#rejections.add(refused)
      }
  }

  #fault(use: MetricUse, data: Metric['data']): string | null {
    const wanted = use.to === 'count' ? 'sum' : use.to === 'histogram' ? 'histogram' : 'gauge'
    if (data.kind !== wanted) return `a metric of another kind than ${wanted}`
    if (data.kind !== 'gauge' && data.temporality !== DELTA) return 'temporality other than delta'
    if (this.#sender.figures === 'spans' && data.kind !== 'gauge') return 'its figures are read from spans'
    return null
  }

  /** A sentence where the point is refused. */
  #point(metric: MetricName, use: MetricUse, point: Point): string | null {
    const fault = attributeFault(point.attributes)
    if (fault !== null) return fault
    const counts = 'counts' in point ? histogramOf(use, point) : NO_COUNTS
    const value = 'counts' in point ? point.sum : point.value
    if (counts === null || value === null || !inRange(value)) return 'a value that is negative, too large or no number'
    const time = this.#time(point)
    if (time === null) return 'times that are no window'
    const said = this.#said
    said.read(metric, point.attributes)
    const name = use.kind === 'gate' ? said.gate : said.dependency
    if (name === '') return `no ${ATTRIBUTES[use.kind]}`
    const window = this.#window ?? this.#open(this.#pointId(metric, name, point))
    if (window.stretches.length >= MAX_STRETCHES) return 'more stretches of time than a window has'
    const cell = cellOf(window, time, use.kind, name, said)
    if (said.edge) cell.markEdge()
    if (time.skewed) cell.add('skewed', 1)
    const seconds = (time.endMs - time.startMs) / 1000
    this.spread += Math.max(0, Math.ceil(seconds) - 1)
    book(cell, use, value, counts, seconds)
    return null
  }

  #time({ startMs, endMs }: Point): Booked | null {
    if (startMs !== this.#startMs || endMs !== this.#endMs) {
      this.#startMs = startMs
      this.#endMs = endMs
      this.#booked = bookTime(startMs, endMs, this.#receivedAtMs, this.#sender.numbered !== null)
    }
    return this.#booked
  }

  #pointId(metric: MetricName, name: string, { startMs, endMs }: Point): string {
    const { environment, service, instance } = this.#sender
    const { class: klass, tenant, reason, revision } = this.#said
    const labels = [klass, tenant, reason, revision].map(String)
    return windowId(['point', environment, service, instance, metric, name, ...labels, startMs, endMs])
  }
}

const NO_COUNTS: readonly number[] = []

/** `null`: no histogram that can be kept. */
const histogramOf = (use: MetricUse, { counts, bounds }: HistogramPoint): readonly number[] | null =>
  use.to === 'histogram' && counts.length <= MAX_BUCKETS && counts.every(inRange) ? rebucket(counts, bounds) : null
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

/** Which labels a metric is told by. */
const WANTED = new Map<string, Readonly<Record<LabelCut, boolean>>>(
  Object.entries(METRICS).map(([metric, { attributes }]) => {
    const told: readonly string[] = attributes
    const of = (label: LabelCut) => told.includes(label)
    return [metric, { class: of('class'), tenant: of('tenant'), reason: of('reason'), revision: of('revision') }]
  }),
)

/** What the attributes of a point say: one is filled over and over. */
class Said implements Labels {
  gate = ''
  dependency = ''
  edge = false
  class: string | null = null
  tenant: string | null = null
  reason: string | null = null
  revision: string | null = null

  /** The labels that the metric's row of the table has; one that was left out is `none`. */
  read(metric: MetricName, attributes: readonly Attribute[]): void {
    const wanted = WANTED.get(metric)
    this.gate = this.dependency = ''
    this.edge = false
    this.class = wanted?.class ? NONE : null
    this.tenant = wanted?.tenant ? NONE : null
    this.reason = wanted?.reason ? NONE : null
    this.revision = wanted?.revision ? NONE : null
    for (const { key, value } of attributes)
      if (key === ATTRIBUTES.edge) this.edge = value === true
      else if (value !== null && value !== '') this.#put(key, typeof value === 'string' ? value : String(value))
  }

  #put(key: string, value: string): void {
    if (key === ATTRIBUTES.gate) this.gate = value
    else if (key === ATTRIBUTES.dependency) this.dependency = value
    else if (key === ATTRIBUTES.class) this.class &&= value
    else if (key === ATTRIBUTES.tenant) this.tenant &&= value
    else if (key === ATTRIBUTES.reason) this.reason &&= value
    else if (key === ATTRIBUTES.revision) this.revision &&= value
  }
}
