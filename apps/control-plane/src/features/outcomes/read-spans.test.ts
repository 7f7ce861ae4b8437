import { expect, test } from 'vitest'
import type { AttributeValue, Span } from '../../otlp/model.ts'
import { SUM_INDEX, type SumColumn } from './columns.ts'
import { readSpans } from './read-spans.ts'
import type { TelemetryKey } from './telemetry-key.ts'

const NOW = 1_796_022_010_000
const KEY: TelemetryKey = { environment: 'prod', services: ['orders'], kind: 'agent' }

const span = (spanId: string, attributes: Record<string, AttributeValue>, more: Partial<Span> = {}): Span => ({
  traceId: 'a'.repeat(32),
  spanId,
  name: 'weir.gate',
  startMs: NOW - 40,
  endMs: NOW,
  attributes: Object.entries({ 'weir.gate': 'checkout', ...attributes }).map(([key, value]) => ({ key, value })),
  ...more,
})
const read = (figures: string, ...spans: Span[]) =>
  readSpans([{ resource: [{ key: 'weir.figures', value: figures }], spans }], KEY, NOW)
const sums = ({ windows }: ReturnType<typeof read>, ...columns: SumColumn[]) =>
  columns.map((column) =>
    windows
      .flatMap((window) => window.stretches.flatMap((each) => [...each.gates.values(), ...each.dependencies.values()]))
      .reduce((sum, { total }) => sum + (total.sums[SUM_INDEX[column]] ?? 0), 0),
  )

test('spans count by what they stand for', () => {
  const reading = read(
    'spans',
    span('1', { 'weir.outcome': 'completed', 'weir.adjusted_count': 10 }),
    span('2', { 'weir.outcome': 'shed', 'weir.reason': 'tenant-rate', 'weir.adjusted_count': 4 }),
    span('3', { 'weir.outcome': 'late' }),
    span('4', { 'weir.dependency': 'db', 'weir.outcome': 'failed' }, { name: 'weir.dependency' }),
    span('5', {}, { name: 'weir.decision' }),
    span('6', {}, { name: 'GET /' }),
  )
  expect(sums(reading, 'offered', 'accepted', 'completed', 'late', 'shed', 'calls', 'failed')).toEqual([
    15, 11, 10, 1, 4, 1, 1,
  ])
  expect(reading.rejections.total).toBe(0)
})

test('spans of a process that counts in metrics count nothing', () => {
  const reading = read('metrics', span('1', { 'weir.outcome': 'completed' }))
  expect([reading.windows.length, reading.rejections.total]).toEqual([0, 0])
})

test('a span that is sent twice is one', () => {
  const twice = [span('1', { 'weir.outcome': 'completed' }), span('1', { 'weir.outcome': 'completed' })]
  expect(read('spans', ...twice).windows).toHaveLength(1)
  const id = () => read('spans', span('1', { 'weir.outcome': 'completed' })).windows[0]?.id
  expect(id()).toBe(id())
})

test('a span with a count or an outcome that cannot be is refused, the others are unharmed', () => {
  const reading = read(
    'spans',
    span('1', { 'weir.outcome': 'completed' }),
    span('2', { 'weir.outcome': 'completed', 'weir.adjusted_count': 0 }),
    span('3', { 'weir.outcome': 'completed', 'weir.adjusted_count': Number.NaN }),
    span('4', { 'weir.outcome': 'completed', 'weir.adjusted_count': '7' }),
    span('5', { 'weir.outcome': 'toString' }),
    span('6', { 'weir.outcome': 'completed' }, { startMs: NOW + 1 }),
    span('7', { 'weir.outcome': 'completed', 'weir.gate': '' }),
  )
  expect(sums(reading, 'offered')).toEqual([1])
  expect(reading.rejections.total).toBe(5)
})
