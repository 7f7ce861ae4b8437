import { expect, test } from 'vitest'
import type { Attribute, Span } from '../../otlp/model.ts'
import { readDecisions } from './read-decisions.ts'

const NOW = 1_796_022_010_000
const KEY = { environment: 'prod', services: ['orders'], kind: 'agent' } as const

const read = (more: Partial<Span>, ...said: Attribute[]) => {
  const attributes = [
    { key: 'weir.gate', value: 'checkout' },
    { key: 'weir.outcome', value: 'shed' },
    { key: 'weir.reason', value: 'limit-reached' },
    ...said,
  ]
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'weir.gate', startMs: NOW - 5, endMs: NOW }
  return readDecisions([{ resource: [], spans: [{ ...span, attributes, ...more }] }], KEY, NOW)
}

test('a refusal is read with when it came and how long it had waited', () => {
  expect(read({}, { key: 'weir.revision', value: 7 })).toMatchObject([
    { id: 'b'.repeat(16), service: 'orders', name: 'checkout', reason: 'limit-reached', waitedMs: 5, revision: 7 },
  ])
})

test.each([
  ['a beginning that is no time', { startMs: Number.NaN }],
  ['a beginning that never was', { startMs: Number.NEGATIVE_INFINITY }],
  ['an identity of any length', { spanId: 'b'.repeat(8_192) }],
  ['no identity', { traceId: '' }],
])('a span with %s is no decision: the database would refuse it, and all that are written with it', (_, more) => {
  expect(read(more)).toEqual([])
})

test('a revision that none can be is left out', () => {
  for (const value of [2 ** 31, 1.5, -(2 ** 40)])
    expect(read({}, { key: 'weir.revision', value })).toMatchObject([{ revision: null }])
})
