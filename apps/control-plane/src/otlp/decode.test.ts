import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { metricsJson, metricsProtobuf, tracesProtobuf } from '../testing/otlp-sample.ts'
import { messageType } from './descriptor.ts'
import { encodingOf, errorBody, inflate, MAX_BODY_BYTES, readMetrics, readTraces, successBody } from './http.ts'
import { MAX_MESSAGES, Malformed } from './model.ts'

const WINDOW = {
  resource: { 'service.name': 'orders', 'weir.sequence': 7 },
  startMs: 1_796_022_000_250,
  endMs: 1_796_022_001_250,
  counters: [['weir.gate.offered', 12, { 'weir.gate': 'checkout', 'weir.edge': true }]],
  gauges: [['weir.gate.limit', 2.5, { 'weir.gate': 'checkout' }]],
  histograms: [['weir.gate.duration', { counts: [1, 2, 3], bounds: [0.1, 1], sum: 4.5 }, { 'weir.gate': 'checkout' }]],
} as const

const bytes = (value: object) => Buffer.from(JSON.stringify(value))

test('protobuf and JSON of one request are read as the same thing', () => {
  const request = metricsJson(WINDOW)
  const fromJson = readMetrics(bytes(request), 'json')
  expect(readMetrics(metricsProtobuf(request), 'protobuf')).toEqual(fromJson)
  expect(fromJson).toEqual([
    {
      resource: [
        { key: 'service.name', value: 'orders' },
        { key: 'weir.sequence', value: 7 },
      ],
      metrics: [
        {
          name: 'weir.gate.offered',
          data: {
            kind: 'sum',
            temporality: 1,
            points: [
              {
                startMs: WINDOW.startMs,
                endMs: WINDOW.endMs,
                value: 12,
                attributes: [
                  { key: 'weir.gate', value: 'checkout' },
                  { key: 'weir.edge', value: true },
                ],
              },
            ],
          },
        },
        {
          name: 'weir.gate.limit',
          data: {
            kind: 'gauge',
            points: [
              {
                startMs: WINDOW.startMs,
                endMs: WINDOW.endMs,
                value: 2.5,
                attributes: [{ key: 'weir.gate', value: 'checkout' }],
              },
            ],
          },
        },
        {
          name: 'weir.gate.duration',
          data: {
            kind: 'histogram',
            temporality: 1,
            points: [
              {
                startMs: WINDOW.startMs,
                endMs: WINDOW.endMs,
                sum: 4.5,
                counts: [1, 2, 3],
                bounds: [0.1, 1],
                attributes: [{ key: 'weir.gate', value: 'checkout' }],
              },
            ],
          },
        },
      ],
    },
  ])
})

/** JSON knows no negative zero, and a test's whole numbers are 64-bit integers. */
const anyDouble = (most: number) =>
  fc.double({ min: -most, max: most, noNaN: true }).map((value) => (value === 0 ? 0 : value))
const attributes = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.maxSafeInteger(), anyDouble(1e15), fc.boolean()),
  { maxKeys: 5 },
)
const anyWindow = fc.record({
  resource: attributes,
  startMs: fc.nat(2 ** 41),
  endMs: fc.nat(2 ** 41),
  counters: fc.array(fc.tuple(fc.string(), fc.maxSafeInteger(), attributes), { maxLength: 4 }),
  gauges: fc.array(fc.tuple(fc.string(), anyDouble(1e300), attributes)),
})

test('whatever is encoded is decoded as it was: texts of any script, negative numbers, more than once', () => {
  fc.assert(
    fc.property(anyWindow, (window) => {
      const request = metricsJson(window)
      const fromJson = readMetrics(bytes(request), 'json')
      for (let i = 0; i < 2; i++) expect(readMetrics(metricsProtobuf(request), 'protobuf')).toEqual(fromJson)
    }),
  )
})

test('bytes that were damaged are read or malformed, never anything else', () => {
  const sound = metricsProtobuf(metricsJson(WINDOW))
  const change = fc.record({ at: fc.nat(sound.length - 1), to: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(sound.length), (changes, length) => {
      const damaged = Uint8Array.from(sound)
      for (const { at, to } of changes) damaged[at] = to
      for (const body of [damaged, damaged.subarray(0, length)])
        try {
          readMetrics(body, 'protobuf')
          readTraces(body, 'protobuf')
        } catch (error) {
          if (!(error instanceof Malformed)) throw error
        }
    }),
    { numRuns: 1_000 },
  )
})

test('span ids are hex in JSON and bytes in protobuf', () => {
  const request = {
    resourceSpans: [
      {
        resource: { attributes: [] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: '5B8EFFF798038103D269B633813FC60C',
                spanId: 'EEE19B7EC3C1B174',
                name: 'weir.gate',
                startTimeUnixNano: '1796022000000000000',
                endTimeUnixNano: '1796022000040000000',
                attributes: [],
              },
            ],
          },
        ],
      },
    ],
  }
  const fromJson = readTraces(bytes(request), 'json')
  expect(fromJson[0]?.spans[0]).toMatchObject({
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: 'eee19b7ec3c1b174',
    startMs: 1_796_022_000_000,
  })
  expect(readTraces(tracesProtobuf(request), 'protobuf')).toEqual(fromJson)
})

const nested = (levels: number): object =>
  levels === 0 ? { stringValue: 'x' } : { arrayValue: { values: [nested(levels - 1)] } }
const withAttribute = (value: object) => ({ resourceMetrics: [{ resource: { attributes: [{ key: 'a', value }] } }] })
const ANY = { 1: 10, 5: 42 }
const field = (tag: number, content: Uint8Array): Uint8Array => {
  const size: number[] = []
  let rest = content.length
  for (; rest > 127; rest >>>= 7) size.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([tag, ...size, rest]), content])
}
const nestedProtobuf = (levels: number): Uint8Array => {
  let value = field(ANY[1], Buffer.from('x'))
  for (let i = 0; i < levels; i++) value = field(ANY[5], field(10, value))
  const attribute = Buffer.concat([field(10, Buffer.from('a')), field(18, value)])
  return field(10, field(10, field(10, attribute)))
}

test('an attribute may hold a list of scalars, and nothing deeper than eight messages', () => {
  expect(readMetrics(bytes(withAttribute(nested(1))), 'json')[0]?.resource).toEqual([{ key: 'a', value: null }])
  expect(readMetrics(nestedProtobuf(1), 'protobuf')[0]?.resource).toEqual([{ key: 'a', value: null }])
  for (const levels of [2, 3, 10, 5_000]) {
    expect(() => readMetrics(nestedProtobuf(levels), 'protobuf'), `protobuf ${levels}`).toThrow(/nested deeper/)
    expect(() => readMetrics(deepText(levels), 'json'), `json ${levels}`).toThrow(/nested deeper/)
  }
})

const deepText = (levels: number): Buffer =>
  Buffer.from(
    `{"resourceMetrics":[{"resource":{"attributes":[{"key":"a","value":${'{"arrayValue":{"values":['.repeat(levels)}{"stringValue":"x"}${']}}'.repeat(levels)}}]}}]}`,
  )

test.each([
  ['text that is no JSON', '{"resourceMetrics": ['],
  ['a list at the top', '[]'],
  ['null', 'null'],
  ['an object where a list belongs', '{"resourceMetrics":{}}'],
  ['a number where a message belongs', '{"resourceMetrics":[1]}'],
  ['a name that is a number', '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":1}]}]}]}'],
  [
    'a value that is text',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","sum":{"dataPoints":[{"asInt":"many"}]}}]}]}]}',
  ],
  [
    'a time that is an object',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","sum":{"dataPoints":[{"timeUnixNano":{}}]}}]}]}]}',
  ],
  [
    'an attribute of a wrong type',
    '{"resourceMetrics":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":1}}]}}]}',
  ],
  ['a hundred thousand brackets', '['.repeat(100_000)],
  ['brackets behind an open quote', `{"a":"${'['.repeat(100)}`],
])('%s is malformed in JSON', (_, text) => {
  expect(() => readMetrics(Buffer.from(text), 'json')).toThrow(Malformed)
})

test('brackets and escaped quotes inside of strings are text', () => {
  const name = `weir.x${'[{'.repeat(50)}\\"${'['.repeat(50)}`
  const text = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"${name}"}]}]}]}`
  expect(readMetrics(Buffer.from(text), 'json')[0]?.metrics[0]?.name).toBe(JSON.parse(`"${name}"`))
})

test.each([
  ['a length past the end', Buffer.from([10, 200, 1, 0])],
  ['an illegal wire type', Buffer.from([15, 1])],
  ['a varint without an end', Buffer.alloc(20, 0xff)],
  ['groups in groups', Buffer.alloc(100_000, 0x1b)],
  ['text', Buffer.from('{"resourceMetrics":[]}')],
])('%s is malformed in protobuf', (_, body) => {
  expect(() => readMetrics(body, 'protobuf')).toThrow(Malformed)
})

test('messages without content are counted before they are built: one body must not hold the process for seconds', () => {
  const empty = (count: number) => Buffer.alloc(2 * count, Buffer.from([10, 0]))
  expect(readMetrics(empty(1_000), 'protobuf')).toHaveLength(1_000)
  expect(readTraces(empty(1_000), 'protobuf')).toHaveLength(1_000)
  const points = field(10, field(18, field(18, field(58, empty(MAX_MESSAGES)))))
  for (const body of [empty(MAX_MESSAGES + 1), points, field(10, field(10, empty(MAX_MESSAGES)))])
    expect(() => readMetrics(body, 'protobuf')).toThrow('holds more than')
  const json = (count: number) => Buffer.from(`{"resourceMetrics":[${Array(count).fill('{}').join()}]}`)
  expect(readMetrics(json(1_000), 'json')).toHaveLength(1_000)
  expect(() => readMetrics(json(MAX_MESSAGES), 'json')).toThrow('holds more than')
})

test('a field of another wire type than it should be is not there', () => {
  const point = Buffer.from([0x30, 5])
  expect(messageType('NumberDataPoint').decode(point)).toMatchObject({ attributes: [] })
  const request = field(
    10,
    field(18, field(18, Buffer.concat([field(10, Buffer.from('m')), field(42, field(10, point))]))),
  )
  expect(readMetrics(request, 'protobuf')[0]?.metrics[0]?.data).toMatchObject({ points: [{ value: null }] })
})

test('gzip is undone up to a bound, anything else is told apart', async () => {
  const body = bytes(metricsJson(WINDOW))
  expect(await inflate(gzipSync(body), 'gzip')).toEqual({ ok: true, body })
  expect(await inflate(body, undefined)).toEqual({ ok: true, body })
  expect(await inflate(body, 'gzip')).toMatchObject({ ok: false, status: 400 })
  expect(await inflate(body, 'br')).toMatchObject({ ok: false, status: 415 })
  expect(await inflate(gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1)), 'gzip')).toMatchObject({ ok: false, status: 413 })
  expect(await inflate(gzipSync(Buffer.alloc(MAX_BODY_BYTES)), 'gzip')).toMatchObject({ ok: true })
})

test('content types are told by their media type only', () => {
  expect(encodingOf('application/json; charset=utf-8')).toBe('json')
  expect(encodingOf('Application/X-Protobuf')).toBe('protobuf')
  expect(encodingOf('text/plain')).toBe(null)
  expect(encodingOf(undefined)).toBe(null)
})

test('answers are in the encoding of the request', () => {
  expect(successBody('metrics', 'json', { rejected: 0, message: '' }).toString()).toBe('{}')
  expect(successBody('metrics', 'protobuf', { rejected: 0, message: '' })).toHaveLength(0)
  const partial = { rejected: 3, message: 'why' }
  expect(JSON.parse(successBody('metrics', 'json', partial).toString())).toEqual({
    partialSuccess: { rejectedDataPoints: '3', errorMessage: 'why' },
  })
  expect(JSON.parse(successBody('traces', 'json', partial).toString())).toEqual({
    partialSuccess: { rejectedSpans: '3', errorMessage: 'why' },
  })
  expect([...successBody('traces', 'protobuf', partial)]).toEqual([10, 7, 8, 3, 18, 3, ...Buffer.from('why')])
  expect(JSON.parse(errorBody('json', 401, 'no').toString())).toEqual({ code: 16, message: 'no' })
  expect([...errorBody('protobuf', 429, 'no')]).toEqual([8, 8, 18, 2, ...Buffer.from('no')])
})
