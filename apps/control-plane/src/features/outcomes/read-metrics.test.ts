import { METRICS } from '@weir/wire/model'
import { expect, test } from 'vitest'
import { readMetrics as decode } from '../../otlp/http.ts'
import { metricsJson, type SampleWindow } from '../../testing/otlp-sample.ts'
import { METRIC_USES, SUM_INDEX, type SumColumn } from './columns.ts'
import { readMetrics } from './read-metrics.ts'
import { rollUp } from './roll-up.ts'
import { ServiceSeats } from './seats.ts'
import type { TelemetryKey } from './telemetry-key.ts'
import type { Window } from './window.ts'

const NOW = 1_796_022_010_000
const AGENT: TelemetryKey = { environment: 'prod', services: ['orders'], kind: 'agent' }
const INGEST: TelemetryKey = { environment: 'prod', services: ['orders', 'payments'], kind: 'ingest' }
const RESOURCE = { 'service.name': 'orders', 'service.instance.id': 'a-1', 'weir.boot': 'b', 'weir.sequence': 1 }
const LABELS = { 'weir.gate': 'checkout', 'weir.class': 'critical', 'weir.tenant': 'acme' }

const sample = (more: Partial<SampleWindow> = {}): SampleWindow => ({
  resource: RESOURCE,
  startMs: NOW - 1_000,
  endMs: NOW,
  counters: [['weir.gate.offered', 5, LABELS]],
  ...more,
})
const read = (key: TelemetryKey, ...windows: object[]) =>
  readMetrics(decode(Buffer.from(JSON.stringify({ resourceMetrics: windows })), 'json'), key, NOW)
const resources = (...samples: SampleWindow[]): object[] =>
  (metricsJson(...samples) as { resourceMetrics: object[] }).resourceMetrics
const sumOf = (windows: readonly Window[], column: SumColumn): number =>
  windows
    .flatMap((window) => window.stretches.flatMap((span) => [...span.gates.values(), ...span.dependencies.values()]))
    .reduce((sum, { total }) => sum + (total.sums[SUM_INDEX[column]] ?? 0), 0)

test('every metric of the table has its place, and of its kind', () => {
  for (const [name, row] of Object.entries(METRICS)) {
    const use = METRIC_USES[name as keyof typeof METRICS]
    if (use === null) continue
    const kinds = { count: 'counter', integral: 'gauge', peak: 'gauge', histogram: 'histogram' }
    expect(kinds[use.to], name).toBe(row.kind)
    expect(row.attributes, name).toContain(use.kind)
  }
})

test('a window keeps its identity over repeats, and another window has another', () => {
  const id = (resource: Record<string, string | number>) =>
    read(AGENT, ...resources(sample({ resource }))).windows.map((window) => window.id)
  expect(id(RESOURCE)).toEqual(id(RESOURCE))
  expect(id(RESOURCE)).toHaveLength(1)
  for (const change of [{ 'weir.sequence': 2 }, { 'weir.boot': 'c' }, { 'service.instance.id': 'a-2' }])
    expect(id({ ...RESOURCE, ...change })).not.toEqual(id(RESOURCE))
})

test('points of a sender without numbers, or through a Collector, have identities of their own', () => {
  const counters = [
    ['weir.gate.offered', 5, LABELS],
    ['weir.gate.accepted', 5, LABELS],
    ['weir.gate.offered', 2, { ...LABELS, 'weir.tenant': 'other' }],
  ] as const
  const unnumbered = { 'service.name': 'orders', 'service.instance.id': 'a-1' }
  expect(read(AGENT, ...resources(sample({ counters, resource: unnumbered }))).windows).toHaveLength(3)
  expect(read(INGEST, ...resources(sample({ counters }))).windows).toHaveLength(3)
  expect(read(AGENT, ...resources(sample({ counters }))).windows).toHaveLength(1)
})

test('what is refused is counted with its reason, and the rest is taken', () => {
  const gauge = (value: number) => ['weir.gate.limit', value, { 'weir.gate': 'checkout' }] as const
  const tooMany = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`x${i}`, i]))
  const { windows, rejections } = read(
    AGENT,
    ...resources(
      sample({
        counters: [
          ['weir.gate.offered', 5, LABELS],
          ['weir.gate.offered', -1, LABELS],
          ['weir.gate.offered', 9e15, LABELS],
          ['weir.gate.offered', 1, { ...LABELS, ...tooMany }],
          ['weir.gate.offered', 1, { ...LABELS, note: 'é'.repeat(129) }],
          ['weir.gate.offered', 1, { 'weir.class': 'critical' }],
          ['weir.dependency.calls', 1, LABELS],
          ['http.server.requests', 1, LABELS],
          ['weir.gate.of_a_newer_agent', 1, LABELS],
          ['weir.gate.limit', 1, LABELS],
        ],
        gauges: [gauge(-1), gauge(4)],
        histograms: [
          ['weir.gate.duration', { counts: [1], bounds: [1, 2], sum: 1 }, LABELS],
          ['weir.gate.duration', { counts: [1, -1], bounds: [1], sum: 1 }, LABELS],
        ],
      }),
    ),
  )
  expect(sumOf(windows, 'offered')).toBe(5)
  expect(sumOf(windows, 'limit_integral')).toBe(4)
  expect(rejections.total).toBe(11)
  expect(rejections.message).toContain('more than 64 attributes (1)')
  expect(rejections.message).toContain('text longer than 256 bytes (1)')
  expect(rejections.message).toContain('a value that is negative, too large or no number (5)')
})

test('NaN and infinity are no values', () => {
  const json = JSON.stringify({ resourceMetrics: resources(sample({ gauges: [['weir.gate.limit', 4, LABELS]] })) })
  for (const value of ['"NaN"', '"Infinity"', '"-Infinity"']) {
    const text = json.replace('"asDouble":4', `"asDouble":${value}`)
    expect(text).not.toBe(json)
    const { windows, rejections } = readMetrics(decode(Buffer.from(text), 'json'), AGENT, NOW)
    expect([rejections.total, sumOf(windows, 'offered'), sumOf(windows, 'limit_integral')]).toEqual([1, 5, 0])
  }
})

test('cumulative points are refused, in sums and in histograms', () => {
  const json = JSON.stringify({
    resourceMetrics: resources(
      sample({ histograms: [['weir.gate.duration', { counts: [1, 1], bounds: [1], sum: 1 }, LABELS]] }),
    ),
  })
  const { windows, rejections } = readMetrics(
    decode(Buffer.from(json.replaceAll('"aggregationTemporality":1', '"aggregationTemporality":2')), 'json'),
    AGENT,
    NOW,
  )
  expect(windows.flatMap((window) => window.stretches)).toEqual([])
  expect([rejections.total, rejections.message]).toEqual([2, 'temporality other than delta (2)'])
})

test('another service or environment is refused and counted, the key speaks where nothing is said', () => {
  const said = (more: Record<string, string>) => sample({ resource: { 'weir.boot': 'b', 'weir.sequence': 1, ...more } })
  const foreign = read(AGENT, ...resources(said({ 'service.name': 'payments' }), said({ 'service.name': 'orders' })))
  expect([foreign.rejections.total, foreign.rejections.foreign, foreign.windows.length]).toEqual([1, 1, 1])
  expect(read(AGENT, ...resources(said({ 'deployment.environment.name': 'test' }))).rejections.foreign).toBe(1)
  expect(read(AGENT, ...resources(said({}))).windows[0]?.service).toBe('orders')
  expect(read(INGEST, ...resources(said({ 'service.name': 'payments' }))).windows[0]?.service).toBe('payments')
  expect(read(INGEST, ...resources(said({ 'service.name': 'stock' }))).rejections.foreign).toBe(1)
  expect(read(INGEST, ...resources(said({}))).rejections.message).toBe('no service.name (1)')
})

test('counts are never read from the metrics of a process that counts in spans; its gauges are', () => {
  const { windows, rejections } = read(
    AGENT,
    ...resources(
      sample({ resource: { ...RESOURCE, 'weir.figures': 'spans' }, gauges: [['weir.gate.limit', 4, LABELS]] }),
    ),
  )
  expect([sumOf(windows, 'offered'), sumOf(windows, 'limit_integral'), rejections.total]).toEqual([0, 4, 1])
})

test('points of a wrong clock are booked at receipt and counted as skewed', () => {
  const { windows } = read(AGENT, ...resources(sample({ startMs: NOW + 60_000, endMs: NOW + 61_000 })))
  expect(windows[0]?.stretches[0]).toMatchObject({ startMs: NOW - 1_000, endMs: NOW })
  expect(sumOf(windows, 'skewed')).toBe(1)
})

test('a numbered window is one stretch of time, not thousands that would be looked for among one another', () => {
  const stretches = Array.from({ length: 100 }, (_, i) => sample({ startMs: NOW - 2_000 - i }))
  const { windows, rejections } = read(AGENT, ...resources(...stretches))
  expect([windows.length, windows[0]?.stretches.length, rejections.total]).toEqual([1, 16, 84])
})

test('points of long windows are split more coarsely where they are very many, and their sum stays', () => {
  const long = (points: number) => {
    const counters = Array.from(
      { length: points },
      (_, i) => ['weir.gate.offered', 3, { ...LABELS, 'weir.tenant': `t${i}` }] as const,
    )
    return read(AGENT, ...resources(sample({ startMs: NOW - 100_000, counters })))
  }
  const [few, many] = [long(100), long(3_000)]
  const rows = [few, many].map(({ windows }) => rollUp(windows, new ServiceSeats(), NOW))
  const seconds = rows.map((of) => new Set(Array.from(of.values(), ({ second }) => second)))
  expect(seconds.map(({ size }) => size)).toEqual([100, 20])
  expect([...(seconds[1] ?? [])].every((second) => second % 5 === 0)).toBe(true)
  expect([few.spread, many.spread]).toEqual([9_900, 59_400])
  const total = [...(rows[1]?.values() ?? [])].filter(({ cut }) => cut === 'total')
  expect(total.reduce((sum, { sums }) => sum + (sums[SUM_INDEX.offered] ?? 0), 0)).toBe(9_000)
})

test('a window with an absurd number of gates tells the first hundreds apart, and its sum stays', () => {
  const counters = Array.from(
    { length: 2_000 },
    (_, i) => ['weir.gate.offered', 1, { ...LABELS, 'weir.gate': `gate ${i}` }] as const,
  )
  const { windows } = read(AGENT, ...resources(sample({ counters })))
  expect(windows[0]?.stretches[0]?.gates.size).toBe(501)
  expect(sumOf(windows, 'offered')).toBe(2_000)
})
