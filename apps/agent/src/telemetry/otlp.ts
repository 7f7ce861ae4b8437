import {
  ATTRIBUTES,
  DURATION_BOUNDS_S,
  METRICS,
  type MetricAttribute,
  type MetricName,
  RESOURCE,
} from '@weir/wire/model'
import type { FigureAttributes } from '../core/figures.ts'
import type { Series } from './window.ts'

export interface Resource {
  /** `null` until known: the key says it too. */
  readonly service: string | null
  readonly environment: string | null
  readonly instance: string
  readonly boot: string
  readonly version: string
}

/** A window that has been sent once and never changes again. Times in milliseconds since the epoch, fractional. */
export interface SealedWindow {
  readonly sequence: number
  readonly startEpochMs: number
  readonly endEpochMs: number
  readonly series: readonly Series[]
}

interface KeyValue {
  key: string
  value: { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean }
}

/** The control plane takes strings of at most this many bytes. */
const MAX_TEXT_BYTES = 256
const DELTA = 1

/** What a store takes for text: well-formed, no NUL, bounded. */
const clip = (given: string): string => {
  const text = given.toWellFormed().replaceAll('\0', '\uFFFD')
  if (text.length * 3 <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text
  return Buffer.from(text)
    .subarray(0, MAX_TEXT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
}

const keyValue = (key: string, value: string | number | boolean): KeyValue => {
  if (typeof value === 'string') return { key, value: { stringValue: clip(value) } }
  if (typeof value === 'boolean') return { key, value: { boolValue: value } }
  return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }
}

const attributesOf = (attributes: FigureAttributes): KeyValue[] => {
  const list: KeyValue[] = []
  for (const name of Object.keys(attributes) as MetricAttribute[]) {
    const value = attributes[name]
    if (value !== undefined) list.push(keyValue(ATTRIBUTES[name], value))
  }
  return list
}

/** Whole nanoseconds as decimal text: a double cannot hold today's. */
const nanos = (epochMs: number): string => {
  const whole = Math.floor(epochMs)
  return `${whole}${String(Math.floor((epochMs - whole) * 1e6)).padStart(6, '0')}`
}

/** OTLP 1.x in its JSON encoding: 64-bit integers are text. One `resourceMetrics`, delta temporality. */
export const encodeMetrics = (resource: Resource, window: SealedWindow): string => {
  const times = { startTimeUnixNano: nanos(window.startEpochMs), timeUnixNano: nanos(window.endEpochMs) }
  const byName = Map.groupBy(window.series, (series) => series.name)
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: {
          attributes: [
            ...(resource.service === null ? [] : [keyValue(RESOURCE.service, resource.service)]),
            ...(resource.environment === null ? [] : [keyValue(RESOURCE.environment, resource.environment)]),
            keyValue(RESOURCE.instance, resource.instance),
            keyValue(RESOURCE.figures, 'metrics'),
            keyValue(RESOURCE.boot, resource.boot),
            keyValue(RESOURCE.sequence, window.sequence),
          ],
        },
        scopeMetrics: [
          {
            scope: { name: '@weir/agent', version: resource.version },
            metrics: [...byName].map(([name, series]) => metric(name, series, times)),
          },
        ],
      },
    ],
  })
}

const metric = (name: MetricName, list: readonly Series[], times: object): object => {
  const { kind, unit } = METRICS[name]
  if (kind === 'histogram')
    return {
      name,
      unit,
      histogram: {
        aggregationTemporality: DELTA,
        dataPoints: list.map((series) => {
          const counts = series.counts ?? []
          return {
            ...times,
            attributes: attributesOf(series.attributes),
            count: String(counts.reduce((sum, n) => sum + n, 0)),
            sum: series.value,
            bucketCounts: counts.map(String),
            explicitBounds: DURATION_BOUNDS_S,
          }
        }),
      },
    }
  const dataPoints = list.map((series) => ({
    ...times,
    attributes: attributesOf(series.attributes),
    ...(Number.isSafeInteger(series.value) ? { asInt: String(series.value) } : { asDouble: series.value }),
  }))
  return kind === 'gauge'
    ? { name, unit, gauge: { dataPoints } }
    : { name, unit, sum: { aggregationTemporality: DELTA, isMonotonic: true, dataPoints } }
}
