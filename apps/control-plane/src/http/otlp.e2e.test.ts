import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson, type SampleWindow, tracesProtobuf } from '../testing/otlp-sample.ts'
import { ENCODINGS, post, postMetrics, withKey } from '../testing/telemetry.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

let sequence = 0
const LABELS = { 'weir.gate': 'checkout', 'weir.class': 'critical', 'weir.tenant': 'acme' }
const sample = (more: Partial<SampleWindow> = {}): SampleWindow => {
  const endMs = Date.now()
  return {
    resource: { 'service.instance.id': 'i-1', 'weir.boot': 'b', 'weir.sequence': sequence++ },
    startMs: endMs - 1_000,
    endMs,
    counters: [
      ['weir.gate.offered', 10, LABELS],
      ['weir.gate.accepted', 7, LABELS],
      ['weir.gate.shed', 3, { ...LABELS, 'weir.reason': 'tenant-rate', 'weir.revision': 4 }],
    ],
    gauges: [
      ['weir.gate.limit', 8, { 'weir.gate': 'checkout' }],
      ['weir.gate.active', 2, { 'weir.gate': 'checkout' }],
    ],
    histograms: [['weir.gate.duration', { counts: [0, 7], bounds: [0.05], sum: 1.4 }, { 'weir.gate': 'checkout' }]],
    ...more,
  }
}
const outcomes = async (environment: string, more: Record<string, string> = {}) => {
  const now = Date.now()
  const range = { from: new Date(now - 60_000).toISOString(), to: new Date(now + 10_000).toISOString() }
  const answer = await weir.call(
    'GET',
    `/api/v1/environments/${environment}/outcomes?${new URLSearchParams({ ...range, ...more })}`,
    { as: 'viewer' },
  )
  expect(answer.status).toBe(200)
  return answer.body
}

test('every encoding of one request gives the same rows', async () => {
  const rows: unknown[] = []
  const at = Date.now()
  for (const encoding of ENCODINGS) {
    const environment = `same-${encoding.replace('+', '-')}`
    const key = await withKey(weir, environment, 'orders')
    const window = sample({ startMs: at - 1_250, endMs: at - 250 })
    const sent = await postMetrics(weir, key, metricsJson(window), encoding)
    expect([sent.status, sent.bytes.toString()], encoding).toEqual([200, encoding.startsWith('json') ? '{}' : ''])
    expect(sent.headers.get('content-type')).toBe(
      encoding.startsWith('json') ? 'application/json' : 'application/x-protobuf',
    )
    const { rows: found } = await weir.database.pool.query(
      'SELECT * FROM outcome WHERE environment = $1 ORDER BY step, second, cut, label',
      [environment],
    )
    rows.push(found.map(({ environment: _, ...row }) => row))
  }
  expect(rows[0]).not.toEqual([])
  for (const other of rows.slice(1)) expect(other).toEqual(rows[0])
})

test('totals equal what was sent, a repeat is dropped, and the books balance', async () => {
  const key = await withKey(weir, 'totals', 'orders')
  const windows = Array.from({ length: 20 }, (_, i) =>
    sample({ startMs: Date.now() - 5_000 - i * 977, endMs: Date.now() - 4_000 - i * 977 }),
  )
  const all = [...windows, ...windows.slice(5), ...windows.slice(0, 10)]
  const answers = await Promise.all(all.map((window) => postMetrics(weir, key, metricsJson(window))))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  for (const step of ['1', '10', '60']) {
    const { totals } = await outcomes('totals', { step })
    expect(totals, `step ${step}`).toMatchObject({ offered: 200, accepted: 140, shed: 60, expired: 0 })
  }
  for (const groupBy of ['class', 'tenant', 'instance', 'gate', 'service']) {
    const { series } = await outcomes('totals', { groupBy })
    const points: (number | null)[] = series.flatMap(
      ({ figures }: { figures: { offered: number[] } }) => figures.offered,
    )
    expect(
      points.reduce<number>((sum, n) => sum + (n ?? 0), 0),
      groupBy,
    ).toBe(200)
  }
  const byReason = await outcomes('totals', { groupBy: 'reason' })
  expect(byReason.series.map(({ label }: { label: string }) => label)).toEqual(['tenant-rate'])
})

test('a gauge is its mean, a gap is null, and a second without counts in between is not', async () => {
  const key = await withKey(weir, 'gauges', 'orders')
  const second = Math.floor(Date.now() / 1000) - 20
  const at = (offset: number, more: Partial<SampleWindow> = {}) =>
    sample({ startMs: (second + offset) * 1000, endMs: (second + offset + 1) * 1000, ...more })
  await postMetrics(weir, key, metricsJson(at(0), at(1, { counters: [] }), at(3)))
  const { series, step } = await outcomes('gauges', {
    from: new Date(second * 1000).toISOString(),
    to: new Date((second + 4) * 1000).toISOString(),
  })
  expect(step).toBe(1)
  expect(series).toHaveLength(1)
  expect(series[0].figures).toMatchObject({
    offered: [10, 0, null, 10],
    limit: [8, 8, null, 8],
    active: [2, 2, null, 2],
    oldestAgeMs: [null, null, null, null],
  })
})

test('a service of another key is refused and counted, in the audit too; what is its own is taken', async () => {
  const key = await withKey(weir, 'foreign', 'orders')
  const own = sample()
  const foreign = sample({ resource: { ...own.resource, 'service.name': 'payments' } })
  const { status, json } = await postMetrics(weir, key, metricsJson(own, foreign))
  expect(status).toBe(200)
  expect(json.partialSuccess.rejectedDataPoints).toBe('6')
  expect(json.partialSuccess.errorMessage).toContain('does not speak for')
  expect((await outcomes('foreign')).totals.offered).toBe(10)
  await expect
    .poll(async () =>
      (await weir.call('GET', '/api/v1/audit')).body.items.map((item: { action: string }) => item.action),
    )
    .toContain('refused.service')
})

test('an ingest key speaks for its list of services, told apart by service.name', async () => {
  const key = await withKey(weir, 'collector', 'orders', 'payments')
  const window = (service: string) => sample({ resource: { 'service.name': service, 'service.instance.id': 'i' } })
  const request = metricsJson(window('orders'), window('payments'), window('stock'))
  for (let i = 0; i < 2; i++) {
    const { json } = await postMetrics(weir, key, request)
    expect(json.partialSuccess.rejectedDataPoints).toBe('6')
  }
  const { series, totals } = await outcomes('collector', { groupBy: 'service' })
  expect(series.map(({ label }: { label: string }) => label)).toEqual(['orders', 'payments'])
  expect(totals.offered).toBe(20)
})

test('cumulative points are refused in partial success, in the encoding of the request', async () => {
  const key = await withKey(weir, 'cumulative', 'orders')
  const text = JSON.stringify(metricsJson(sample())).replaceAll(
    '"aggregationTemporality":1',
    '"aggregationTemporality":2',
  )
  const { status, json } = await post(weir, '/v1/metrics', key, text)
  expect([status, json]).toEqual([
    200,
    { partialSuccess: { rejectedDataPoints: '4', errorMessage: 'temporality other than delta (4)' } },
  ])
  const binary = await postMetrics(weir, key, JSON.parse(text), 'protobuf')
  expect(binary.bytes.toString('latin1')).toContain('temporality other than delta (4)')
})

const HOSTILE: readonly (readonly [
  string,
  number,
  () => { body: Uint8Array | string; headers?: Record<string, string> },
])[] = [
  ['no key at all', 401, () => ({ body: '{}', headers: { authorization: '' } })],
  ['an unknown key', 401, () => ({ body: '{}', headers: { authorization: `Bearer weir_${'x'.repeat(43)}` } })],
  ['an unknown content type', 415, () => ({ body: '{}', headers: { 'content-type': 'text/plain' } })],
  ['an unknown content encoding', 415, () => ({ body: '{}', headers: { 'content-encoding': 'br' } })],
  ['broken gzip', 400, () => ({ body: 'xx', headers: { 'content-encoding': 'gzip' } })],
  [
    'a gzip bomb',
    413,
    () => ({ body: gzipSync(Buffer.alloc(64 * 1_048_576, 0x20)), headers: { 'content-encoding': 'gzip' } }),
  ],
  ['a body past the bound', 413, () => ({ body: Buffer.alloc(4_194_305, 0x20) })],
  ['no JSON', 400, () => ({ body: '{"resourceMetrics":' })],
  ['nothing', 400, () => ({ body: '' })],
  ['brackets without end', 400, () => ({ body: '['.repeat(1_000_000) })],
  ['wrong types', 400, () => ({ body: '{"resourceMetrics":[{"scopeMetrics":7}]}' })],
  [
    'random bytes as protobuf',
    400,
    () => ({ body: Buffer.alloc(1_000, 0xfb), headers: { 'content-type': 'application/x-protobuf' } }),
  ],
  [
    'groups in groups',
    400,
    () => ({ body: Buffer.alloc(1_000_000, 0x1b), headers: { 'content-type': 'application/x-protobuf' } }),
  ],
]

test.each(HOSTILE)('%s is answered with %i and a status in the body, others unharmed', async (_, status, make) => {
  const key = await withKey(weir, 'hostile', 'orders')
  const { body, headers } = make()
  const before = (await outcomes('hostile')).totals.offered
  const [bad, good] = await Promise.all([
    post(weir, '/v1/metrics', key, body, headers),
    postMetrics(weir, key, metricsJson(sample())),
  ])
  expect(bad.status).toBe(status)
  const encoding =
    headers?.['content-type'] === 'application/x-protobuf' ? 'application/x-protobuf' : 'application/json'
  expect(bad.headers.get('content-type')).toBe(encoding)
  if (bad.json !== null) expect(bad.json).toEqual({ code: expect.any(Number), message: expect.any(String) })
  else expect(bad.bytes[0]).toBe(8)
  expect(good.status).toBe(200)
  expect((await outcomes('hostile')).totals.offered).toBe(before + 10)
})

test('bad points in a good request are refused one by one', async () => {
  const key = await withKey(weir, 'points', 'orders')
  const window = sample({
    counters: [
      ['weir.gate.offered', 10, LABELS],
      ['weir.gate.offered', -5, LABELS],
      ['weir.gate.offered', 5, { ...LABELS, 'weir.tenant': 'nul\0' }],
      ['weir.gate.offered', 5, { ...LABELS, 'weir.tenant': 'half\ud800' }],
      ['weir.gate.offered', 5, { ...LABELS, note: 'x'.repeat(257) }],
      [
        'weir.gate.offered',
        5,
        { ...LABELS, ...Object.fromEntries(Array.from({ length: 62 }, (_, i) => [`k${i}`, 1])) },
      ],
    ],
    gauges: [],
    histograms: [],
  })
  const { status, json } = await postMetrics(weir, key, metricsJson(window))
  expect([status, json.partialSuccess.rejectedDataPoints]).toEqual([200, '5'])
  expect((await outcomes('points')).totals.offered).toBe(10)
})

test('a key that was revoked is refused at once', async () => {
  const key = await withKey(weir, 'revoked', 'orders')
  expect((await postMetrics(weir, key, metricsJson(sample()))).status).toBe(200)
  const { body } = await weir.call('GET', '/api/v1/environments/revoked/keys')
  await weir.call('DELETE', `/api/v1/environments/revoked/keys/${body.items[0].id}`)
  expect((await postMetrics(weir, key, metricsJson(sample()))).status).toBe(401)
})

test('a wrong clock is booked at receipt and counted; a late numbered window keeps its time', async () => {
  const key = await withKey(weir, 'clocks', 'orders')
  const now = Date.now()
  await postMetrics(weir, key, metricsJson(sample({ startMs: now + 3_600_000, endMs: now + 3_601_000 })))
  await postMetrics(weir, key, metricsJson(sample({ startMs: now - 601_000, endMs: now - 600_000 })))
  const near = await outcomes('clocks')
  expect([near.totals.offered, near.skewed]).toEqual([10, 6])
  const far = await outcomes('clocks', {
    from: new Date(now - 700_000).toISOString(),
    to: new Date(now - 500_000).toISOString(),
  })
  expect([far.totals.offered, far.skewed]).toEqual([10, 0])
})

test('spans count where the process says so, by what they stand for, and once', async () => {
  const key = await withKey(weir, 'spans', 'orders')
  const spans = (figures: string, spanId: string) => ({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'weir.figures', value: { stringValue: figures } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: 'ab'.repeat(16),
                spanId,
                name: 'weir.gate',
                startTimeUnixNano: `${Date.now() - 40}000000`,
                endTimeUnixNano: `${Date.now()}000000`,
                attributes: [
                  { key: 'weir.gate', value: { stringValue: 'checkout' } },
                  { key: 'weir.outcome', value: { stringValue: 'completed' } },
                  { key: 'weir.adjusted_count', value: { intValue: '10' } },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
  const json = await post(weir, '/v1/traces', key, JSON.stringify(spans('spans', '11'.repeat(8))))
  expect([json.status, json.bytes.toString()]).toEqual([200, '{}'])
  const protobuf = { 'content-type': 'application/x-protobuf' }
  await post(weir, '/v1/traces', key, tracesProtobuf(spans('spans', '11'.repeat(8))), protobuf)
  await post(weir, '/v1/traces', key, tracesProtobuf(spans('spans', '22'.repeat(8))), protobuf)
  await post(weir, '/v1/traces', key, JSON.stringify(spans('metrics', '33'.repeat(8))))
  expect((await outcomes('spans')).totals).toMatchObject({ offered: 20, accepted: 20, completed: 20 })
})
