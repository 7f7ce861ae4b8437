import { connect } from 'node:http2'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../gate-rig.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import { FULL, Stage } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

const GRPC = HOSTS.filter(({ transport }) => transport === 'grpc')

describe.each(GRPC)('$name', (host) => {
  it('pushes back in whole milliseconds', async () => {
    stage = await Stage.of(host, { ...FULL, retryAfter: { minMs: 1_200, maxMs: 1_800 } })
    await stage.occupy()
    expect((await stage.client.call('work').answer).headers['grpc-retry-pushback-ms']).toMatch(/^1[2-8]\d\d$/)
  })

  it('honours the deadline of gRPC from everybody, and says stop to what had expired', async () => {
    stage = await Stage.of(host, { deadline: { defaultMs: 5_000, minMs: 1, maxMs: 8_000 } })
    expect((await stage.echo({ 'weir-deadline-ms': '4000' })).remainingMs).toBeLessThanOrEqual(4_000)
    const session = connect(`http://127.0.0.1:${stage.port}`)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/weir.Test/work',
      'content-type': 'application/grpc',
      'grpc-timeout': '0m',
      te: 'trailers',
    })
    const headers = await new Promise((resolve) => stream.on('response', resolve))
    session.destroy()
    expect(headers).toMatchObject({
      'grpc-status': '14',
      'grpc-retry-pushback-ms': '-1',
      'weir-signal': 'stop',
      'weir-reason': 'expired-on-arrival',
    })
    expect(stage.script.runs).toBe(0)
  })

  it('ends work at its deadline as cancelled, with a zombie until the handler ends', async () => {
    stage = await Stage.of(host)
    const call = stage.client.call('work', { context: { 'weir-deadline-ms': '300' } })
    expect((await call.answer).kind).toBe('error')
    await until(() => stage.rig.slots.zombies === 1)
    stage.script.work.open()
    await stage.rig.idle()
  })
})
