import { DURATION_BOUNDS_S } from '@weir/wire/model'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accept, attribute, ExportRig, metricsOf, WALL_0 } from '../export-rig.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let rig: ExportRig
beforeEach(async () => {
  rig = await ExportRig.start()
})
afterEach(() => rig.stop())

describe('an export', () => {
  it('is OTLP in JSON: delta sums, gauges, explicit bounds, whole nanoseconds, the resource of the table', async () => {
    rig.fill = (sink) => {
      sink.counter('weir.gate.offered', 3, { gate: 'a', class: 'critical', tenant: `\0\ud800${'ü'.repeat(300)}` })
      sink.gauge('weir.gate.queue.oldest_age', 0.25, { gate: 'a' })
      sink.histogram('weir.gate.duration', [1, ...DURATION_BOUNDS_S.map(() => 2)], 0.5, { gate: 'a' })
    }
    rig.exporter.start()
    await rig.second()
    await rig.breathe(() => rig.plane.exports.length === 1)
    const [exported] = rig.plane.exports
    if (!exported) throw new Error('no export')
    expect(exported.authorization).toBe('Bearer the-key')
    expect(attribute(exported, 'service.name')).toBe('orders')
    expect(attribute(exported, 'weir.figures')).toBe('metrics')
    expect(attribute(exported, 'weir.boot')).toBe('b1')
    expect(attribute(exported, 'weir.sequence')).toBe('1')
    const [offered, age, duration] = metricsOf(exported)
    expect(offered?.sum).toMatchObject({ aggregationTemporality: 1, isMonotonic: true })
    const point = offered?.sum?.dataPoints[0]
    expect(point?.asInt).toBe('3')
    expect(point?.startTimeUnixNano).toMatch(/^17000000000\d{8}$/)
    const tenant = point?.attributes.find(({ key }) => key === 'weir.tenant')?.value.stringValue ?? ''
    expect(Buffer.byteLength(tenant)).toBe(256)
    expect(age?.gauge?.dataPoints[0]).toMatchObject({ asDouble: 0.25 })
    expect(duration?.histogram?.dataPoints[0]).toMatchObject({
      count: String(1 + 2 * DURATION_BOUNDS_S.length),
      sum: 0.5,
      explicitBounds: [...DURATION_BOUNDS_S],
    })
    expect(duration?.histogram?.dataPoints[0]?.bucketCounts).toHaveLength(DURATION_BOUNDS_S.length + 1)
  })

  it('follows the one before without a gap or an overlap, numbered by one', async () => {
    rig.exporter.start()
    for (let i = 1; i <= 4; i++) {
      await rig.second()
      await rig.breathe(() => rig.plane.exports.length >= i)
    }
    const points = rig.plane.exports.map((exported) => metricsOf(exported).at(-1)?.gauge?.dataPoints[0])
    for (let i = 1; i < points.length; i++) expect(points[i]?.startTimeUnixNano).toBe(points[i - 1]?.timeUnixNano)
    expect(rig.plane.exports.map((exported) => attribute(exported, 'weir.sequence'))).toEqual(['1', '2', '3', '4'])
  })

  it('tells the time of day anew after the host clock was set', async () => {
    rig.exporter.start()
    await rig.second()
    await rig.breathe(() => rig.plane.exports.length === 1)
    rig.wallStepMs = 3_600_000
    await rig.second()
    await rig.breathe(() => rig.plane.exports.length === 2)
    const end = Number(metricsOf(rig.plane.exports[1] as never).at(-1)?.gauge?.dataPoints[0]?.timeUnixNano) / 1e6
    expect(Math.abs(end - (WALL_0 + 3_600_000 + rig.runtime.time.now()))).toBeLessThan(1_000)
  })

  it('splits what would be too long for one body', async () => {
    rig.fill = (sink) => {
      for (let i = 0; i < 12_000; i++) sink.counter('weir.gate.offered', 1, { gate: 'a', tenant: `t${i}` })
      rig.fill = () => undefined
    }
    rig.exporter.start()
    await rig.second()
    await rig.breathe(() => rig.plane.exports.length === 3)
    expect(rig.total('weir.gate.offered')).toBe(12_000)
    expect(rig.plane.exports.map((exported) => attribute(exported, 'weir.sequence'))).toEqual(['1', '2', '3'])
  })

  it('stays bounded and exact in total when tenants are without number', async () => {
    rig.fill = (sink) => {
      for (let i = 0; i < 50_000; i++) sink.counter('weir.gate.offered', 1, { gate: 'a', tenant: `t${i}` })
      rig.fill = () => undefined
    }
    rig.exporter.start()
    await rig.second()
    await rig.breathe(() => rig.total('weir.gate.offered') === 50_000)
    expect(rig.plane.exports.flatMap(metricsOf).flatMap((metric) => metric.sum?.dataPoints ?? []).length).toBe(20_001)
  })
})

describe('the end of the exporter', () => {
  it('sends what is left and leaves no timer', async () => {
    rig.answers(accept)
    rig.exporter.start()
    rig.pending = 9
    await rig.exporter.close(5_000)
    expect(rig.total('weir.gate.offered')).toBe(9)
    expect(rig.runtime.time.pending).toBe(0)
  })

  it('is bounded in time when nobody answers', async () => {
    rig.answers(() => undefined)
    rig.attempts = 0
    rig.pending = 1
    const closing = rig.exporter.close(2_000)
    await rig.breathe(() => rig.attempts === 1)
    rig.runtime.time.advance(2_000)
    await closing
    expect(rig.runtime.time.pending).toBe(0)
  })
})
