import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { currentContext } from '../core/context.ts'
import { FastifyRig } from './fastify-rig.testkit.ts'
import { door, until } from './gate-rig.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let rig: FastifyRig
afterEach(() => rig.stop())

const start = async (...args: ConstructorParameters<typeof FastifyRig>) => {
  rig = await new FastifyRig(...args).register()
}
const idle = () => rig.idle()

describe('the end of a request', () => {
  it.each([
    [200, { completed: 1 }],
    [302, { completed: 1 }],
    [404, { completed: 1, ignored: 1 }],
    [429, { failed: 1 }],
    [500, { failed: 1 }],
    [503, { failed: 1 }],
  ])('books status %i as %j', async (status, books) => {
    await start({})
    rig.app.get('/', (_request, reply) => reply.code(status).send('x'))
    await rig.listen()
    await rig.send('/')
    await idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, ...books })
  })

  it('books a handler that throws as failed', async () => {
    await start({})
    rig.app.get('/', async () => {
      throw new Error('bug')
    })
    await rig.listen()
    expect((await rig.send('/')).status).toBe(500)
    await idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, failed: 1 })
  })

  it('waits for the last byte of a stream', async () => {
    await start({})
    const more = door()
    rig.app.get('/', (_request, reply) =>
      reply.send(
        Readable.from(
          (async function* () {
            yield 'first'
            await more.promise
            yield 'last'
          })(),
        ),
      ),
    )
    await rig.listen()
    const answer = rig.send('/')
    await until(() => rig.slots.active === 1)
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(rig.slots.active).toBe(1)
    more.open()
    expect((await answer).body).toBe('firstlast')
    await idle()
    expect(rig.books()).toMatchObject({ completed: 1 })
  })

  it('books a stream that breaks on our side as failed, not as cancelled', async () => {
    await start({})
    rig.app.get('/', (_request, reply) =>
      reply.send(
        Readable.from(
          (async function* () {
            yield 'first'
            throw new Error('source')
          })(),
        ),
      ),
    )
    await rig.listen()
    await expect(rig.send('/')).rejects.toThrow()
    await idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, failed: 1 })
  })

  it('follows a response that the handler took over', async () => {
    await start({})
    const more = door()
    rig.app.get('/', (_request, reply) => {
      reply.hijack()
      void more.promise.then(() => reply.raw.end('by hand'))
    })
    await rig.listen()
    const answer = rig.send('/')
    await until(() => rig.slots.active === 1)
    more.open()
    expect((await answer).body).toBe('by hand')
    await idle()
    expect(rig.books()).toMatchObject({ completed: 1 })
  })

  it('holds the slot while the handler works on after its answer', async () => {
    await start({})
    const more = door()
    rig.app.get('/', async (_request, reply) => {
      reply.send('early')
      await more.promise
      return reply
    })
    await rig.listen()
    expect((await rig.send('/')).body).toBe('early')
    expect(rig.slots.active).toBe(1)
    more.open()
    await idle()
    expect(rig.books()).toMatchObject({ completed: 1 })
  })
})

describe('a caller that leaves', () => {
  it('while it waits is gone at once, and its handler never runs', async () => {
    await start({ concurrency: 1 })
    const first = door()
    let runs = 0
    rig.app.get('/', () => {
      runs++
      return first.promise
    })
    await rig.listen()
    const running = rig.send('/')
    await until(() => rig.slots.active === 1)
    const leaving = rig.open('/')
    leaving.end()
    await until(() => rig.slots.waiting === 1)
    leaving.destroy()
    await until(() => rig.slots.waiting === 0)
    first.open('done')
    await running
    await idle()
    expect(runs).toBe(1)
    expect(rig.books()).toMatchObject({ offered: 2, accepted: 1, cancelled_waiting: 1 })
  })

  it.each(['promise', 'callback'])(
    'while its %s handler runs books cancelled at once and leaves a zombie until the handler ends',
    async (kind) => {
      await start({ concurrency: 1 })
      const work = door()
      let signal: AbortSignal | null | undefined
      rig.app.get('/', (_request, reply) => {
        signal = currentContext()?.signal
        if (kind === 'promise') return work.promise
        void work.promise.then((value) => reply.send(value))
        return
      })
      await rig.listen()
      const leaving = rig.open('/')
      leaving.end()
      await until(() => rig.slots.active === 1)
      leaving.destroy()
      await until(() => rig.slots.zombies === 1)
      expect(rig.slots.active).toBe(0)
      expect(signal?.aborted).toBe(true)
      expect(rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
      work.open('too late')
      await idle()
      expect(rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
    },
  )

  it('in the middle of its body frees the slot', async () => {
    await start({ concurrency: 1 })
    rig.app.post('/', async () => 'never')
    await rig.listen()
    const leaving = rig.open('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
    })
    leaving.write('{"a":')
    await until(() => rig.slots.active === 1)
    leaving.destroy()
    await idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
  })

  it('while a hook runs never reaches the handler', async () => {
    await start({ concurrency: 1 })
    const hook = door()
    let runs = 0
    rig.app.addHook('preValidation', () => hook.promise.then(() => undefined))
    rig.app.get('/', async () => {
      runs++
    })
    await rig.listen()
    const leaving = rig.open('/')
    leaving.end()
    await until(() => rig.slots.active === 1)
    leaving.destroy()
    await until(() => rig.slots.zombies === 1)
    hook.open()
    await idle()
    expect(runs).toBe(0)
  })
})
