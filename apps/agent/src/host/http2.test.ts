import { type ClientHttp2Session, connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyPluginCallback } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { weirFastify } from './fastify.ts'
import { door, GateRig, type Open, until } from './gate-rig.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

describe('HTTP/2, where many requests share a connection', () => {
  let rig: GateRig
  let work: Open
  let session: ClientHttp2Session
  let stop: () => Promise<unknown>

  beforeEach(async () => {
    rig = new GateRig({ concurrency: 1, queue: { maxItems: 0 } })
    work = door()
    const app = Fastify({ http2: true })
    // The plugin's type is that of HTTP/1.
    await app.register(
      weirFastify({ gate: () => rig.gate }) as unknown as FastifyPluginCallback<object, typeof app.server>,
    )
    app.get('/', async () => 'done')
    app.get('/slow', () => work.promise)
    await app.listen({ port: 0, host: '127.0.0.1' })
    session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
    stop = () => app.close()
  })
  afterEach(async () => {
    session.destroy()
    await stop()
    rig.gate.close()
  })

  const get = (path: string) => {
    const stream = session.request({ ':path': path })
    const status = new Promise<unknown>((resolve) => stream.on('response', (headers) => resolve(headers[':status'])))
    stream.on('error', () => undefined)
    stream.resume().end()
    return { status, leave: () => stream.close(8) }
  }

  it('the permit ends with the stream', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await get('/').status).toBe(200)
      await rig.idle()
    }
    expect(rig.books()).toEqual({ offered: 3, accepted: 3, completed: 3 })
  })

  it('a stream that its caller reset is cancelled, and a zombie until the handler ends; others go on', async () => {
    const leaving = get('/slow')
    await until(() => rig.slots.active === 1)
    expect(await get('/').status).toBe(503)
    leaving.leave()
    await until(() => rig.slots.zombies === 1)
    work.open('too late')
    await rig.idle()
    expect(await get('/').status).toBe(200)
    await rig.idle()
    expect(rig.books()).toEqual({ offered: 3, accepted: 2, shed: 1, cancelled: 1, completed: 1 })
  })

  it('so is one whose whole connection is gone', async () => {
    get('/slow')
    await until(() => rig.slots.active === 1)
    session.destroy()
    await until(() => rig.slots.zombies === 1)
    work.open('too late')
    await rig.idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
  })
})
