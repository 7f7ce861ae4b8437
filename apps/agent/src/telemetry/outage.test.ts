import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, accept, answer, ExportRig } from '../export-rig.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let rig: ExportRig
beforeEach(async () => {
  rig = await ExportRig.start()
})
afterEach(() => rig.stop())

describe('an outage of the telemetry endpoint', () => {
  it.each<[string, Answer]>([
    ['refuses', answer(503)],
    [
      'hangs up after it took the window',
      (request, _response, taken) => {
        taken()
        request.socket.destroy()
      },
    ],
    ['hangs up before it took the window', (request) => request.socket.destroy()],
  ])('that %s loses nothing and books nothing twice', async (_name, outage) => {
    rig.answers(accept)
    rig.exporter.start()
    for (let i = 0; i < 3; i++) await rig.second()
    rig.answers(outage)
    for (let i = 0; i < 120; i++) await rig.second()
    rig.answers(accept)
    for (let i = 0; i < 40; i++) await rig.second()
    await rig.exporter.close(5_000)
    expect(rig.handed).toBe(163)
    expect(rig.total('weir.gate.offered', rig.distinct())).toBe(163)
    expect(rig.total('weir.telemetry.dropped', rig.distinct())).toBe(0)
    expect(rig.distinct().length).toBeLessThan(60)
  })

  it('is kept for ten minutes; what is older is dropped and counted', async () => {
    rig.answers(answer(503))
    rig.exporter.start()
    for (let i = 0; i < 900; i++) await rig.second()
    rig.answers(accept)
    for (let i = 0; i < 40; i++) await rig.second()
    await rig.exporter.close(5_000)
    const arrived = rig.total('weir.gate.offered', rig.distinct())
    const dropped = rig.total('weir.telemetry.dropped', rig.distinct())
    expect(dropped).toBeGreaterThan(20)
    expect(arrived).toBeGreaterThan(600)
    expect(arrived).toBeLessThan(rig.handed)
  })

  it('waits as long as Retry-After says', async () => {
    rig.attempts = 0
    rig.answers(answer(429, { 'retry-after': '60' }))
    rig.exporter.start()
    await rig.second()
    await rig.breathe(() => rig.attempts === 1)
    for (let i = 0; i < 58; i++) await rig.second()
    expect(rig.attempts).toBe(1)
    for (let i = 0; i < 4; i++) await rig.second()
    await rig.breathe(() => rig.attempts === 2)
  })

  it('takes 401 for a wrong key: says so once, waits 30 s and more, keeps the figures', async () => {
    rig.attempts = 0
    rig.answers(answer(401))
    rig.exporter.start()
    for (let i = 0; i < 29; i++) await rig.second()
    expect(rig.attempts).toBe(1)
    for (let i = 0; i < 120; i++) await rig.second()
    expect(rig.runtime.errors).toHaveLength(1)
    rig.answers(accept)
    await rig.exporter.close(5_000)
    expect(rig.total('weir.gate.offered', rig.distinct())).toBe(149)
  })

  it('does not send again what will never be taken, and counts it', async () => {
    rig.answers(answer(400))
    rig.exporter.start()
    await rig.second(5)
    await rig.breathe(() => rig.runtime.errors.length === 1)
    rig.answers(accept)
    await rig.second(2)
    await rig.second(2)
    await rig.breathe(() => rig.plane.exports.length >= 2)
    expect(rig.total('weir.gate.offered')).toBe(4)
    expect(rig.total('weir.telemetry.dropped')).toBe(1)
  })

  it('reads a partial success, reports it once and does not repeat the window', async () => {
    rig.answers((_request, response, taken) => {
      taken()
      response.end(JSON.stringify({ partialSuccess: { rejectedDataPoints: '2', errorMessage: 'too many series' } }))
    })
    rig.exporter.start()
    await rig.second()
    await rig.second()
    await rig.breathe(() => rig.plane.exports.length === 2)
    expect(rig.distinct()).toHaveLength(2)
    expect(rig.runtime.errors.map(({ error }) => String(error))).toEqual([
      'Error: 2 points were not taken: too many series',
    ])
  })
})
