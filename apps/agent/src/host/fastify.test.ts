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

describe('admission in Fastify', () => {
  it('gives the handler its permit and ends it with the response', async () => {
    await start({})
    rig.app.get('/', async (request) => ({
      degraded: request.weir?.degraded,
      remaining: (request.weir?.remainingMs ?? 0) > 9_000,
      active: rig.slots.active,
    }))
    await rig.listen()
    expect(JSON.parse((await rig.send('/')).body)).toEqual({ degraded: false, remaining: true, active: 1 })
    await idle()
    expect(rig.books()).toEqual({ offered: 1, accepted: 1, completed: 1 })
  })

  it('decides before the body is read, and waits in the queue', async () => {
    await start({ concurrency: 1 })
    const first = door()
    rig.app.get('/', () => first.promise)
    rig.app.post('/', async (request) => request.body)
    await rig.listen()
    const running = rig.send('/')
    await until(() => rig.slots.active === 1)
    const waiting = rig.open('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '7' },
    })
    const answered = new Promise((resolve) =>
      waiting.on('response', (response) => response.resume().on('end', resolve)),
    )
    waiting.flushHeaders()
    await until(() => rig.slots.waiting === 1)
    first.open('done')
    expect((await running).body).toBe('done')
    await until(() => rig.slots.active === 1)
    waiting.end('{"a":1}')
    await answered
    await idle()
    expect(rig.books()).toMatchObject({ offered: 2, accepted: 2, completed: 2 })
  })

  it('refuses an edge caller with reason, signal and Retry-After, and tells it nothing more', async () => {
    await start({ concurrency: 1, queue: { maxItems: 0 }, retryAfter: { minMs: 1_200, maxMs: 1_800 } })
    const first = door()
    rig.app.get('/', () => first.promise)
    await rig.listen()
    const running = rig.send('/')
    await until(() => rig.slots.active === 1)
    const refused = await rig.send('/')
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'weir-signal': 'elsewhere',
      'retry-after': '2',
    })
    expect(refused.headers['weir-revision']).toBeUndefined()
    const { reason } = JSON.parse(refused.body)
    expect(refused.headers['weir-reason']).toBe(reason)
    expect(Object.keys(JSON.parse(refused.body)).sort()).toEqual(['reason', 'signal', 'status', 'title', 'type'])
    first.open('done')
    await running
    await idle()
  })

  it('tells a trusted peer the revision and the figures', async () => {
    await start({ concurrency: 1, queue: { maxItems: 0 } }, { trust: () => true })
    const first = door()
    rig.app.get('/', () => first.promise)
    await rig.listen()
    const running = rig.send('/')
    await until(() => rig.slots.active === 1)
    const refused = await rig.send('/')
    expect(refused.headers['weir-revision']).toBe('7')
    expect(JSON.parse(refused.body)).toMatchObject({ gate: 'http', revision: 7, limit: 1, active: 1, waiting: 0 })
    first.open('done')
    await running
  })

  it('answers 429 where a tenant used up its own share', async () => {
    const nothing = { rate: 0, burst: null, concurrency: null, weight: 1 }
    await start({}, { tenant: () => 'acme' }, { default: nothing })
    rig.app.get('/', async () => 'never')
    await rig.listen()
    expect(await rig.send('/')).toMatchObject({
      status: 429,
      headers: { 'weir-reason': 'tenant-rate', 'weir-signal': 'later' },
    })
  })

  it('B-85 never sheds a health probe, by the route as it was declared, and lets only a few at once', async () => {
    await start({ concurrency: 1, queue: { maxItems: 0 } }, { exempt: ['/healthz'] })
    const first = door()
    const probes = door()
    rig.app.get('/', () => first.promise)
    rig.app.get('/healthz', (request) => (request.headers.slow ? probes.promise : Promise.resolve('well')))
    rig.app.get('/files/*', async () => 'file')
    await rig.listen()
    const running = rig.send('/')
    await until(() => rig.slots.active === 1)
    expect((await rig.send('/healthz?deep=1')).status).toBe(200)
    expect((await rig.send('/files/healthz')).status).toBe(503)
    let refused = 0
    const flood = Array.from({ length: 17 }, () =>
      rig.send('/healthz', { headers: { slow: '1' } }).then(({ status }) => {
        if (status === 503) refused++
      }),
    )
    await until(() => refused === 1)
    probes.open('well')
    await Promise.all(flood)
    expect(refused).toBe(1)
    expect((await rig.send('/healthz')).status).toBe(200)
    first.open('done')
    await running
  })

  it('B-56b frees the slot with the response, not with the connection', async () => {
    await start({ concurrency: 1, queue: { maxItems: 0 } })
    rig.app.get('/', async () => 'ok')
    await rig.listen()
    for (let i = 0; i < 20; i++) {
      expect((await rig.send('/')).status).toBe(200)
      await idle()
    }
    expect(Object.values(rig.agent.freeSockets).flat()).toHaveLength(1)
  })

  it('B-57 gives the slot back when the request turns out to be invalid', async () => {
    await start({ concurrency: 1 })
    rig.app.post('/', async (request) => request.body)
    await rig.listen()
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"broken":' }
    expect((await rig.send('/', init)).status).toBe(400)
    expect((await rig.send('/nowhere')).status).toBe(404)
    await idle()
    expect(rig.books()).toEqual({ offered: 2, accepted: 2, completed: 2, ignored: 2 })
  })
})

describe('context', () => {
  const said = {
    'weir-deadline-ms': '400',
    'weir-criticality': 'sheddable',
    'weir-tenant': 'acme',
    'weir-attempt': '2',
    'content-type': 'application/json',
  }
  const tell = () => {
    rig.app.post('/', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      const context = currentContext()
      if (!context) return null
      const { criticality, tenant, attempt, deadlineAt } = context
      return { criticality, tenant, attempt, soon: deadlineAt - performance.now() <= 400 }
    })
    return rig.listen()
  }
  const post = async () => JSON.parse((await rig.send('/', { method: 'POST', headers: said, body: '{}' })).body)

  it('is believed from a trusted caller and reaches the handler behind the body parser', async () => {
    await start({}, { trust: () => true })
    await tell()
    expect(await post()).toEqual({ criticality: 'sheddable', tenant: 'acme', attempt: 2, soon: true })
  })

  it('is not believed from anybody else', async () => {
    await start({})
    await tell()
    expect(await post()).toEqual({ criticality: 'sheddable-plus', tenant: null, attempt: 1, soon: false })
  })

  it('takes the host at its word first, and the lower class of two', async () => {
    await start({}, { trust: () => true, tenant: () => 'host', criticality: () => 'critical' })
    await tell()
    expect(await post()).toMatchObject({ criticality: 'sheddable', tenant: 'host' })
  })

  it('caps the class that even a trusted caller may claim', async () => {
    await start({ classes: { highest: 'sheddable-plus' } }, { trust: () => true, criticality: () => 'critical-plus' })
    rig.app.get('/', async () => currentContext()?.criticality)
    await rig.listen()
    expect((await rig.send('/')).body).toBe('sheddable-plus')
  })

  it('knows within the handler that the gate is held: entering it again takes no second slot', async () => {
    await start({ concurrency: 1, queue: { maxItems: 0 } })
    rig.app.post('/', async () => rig.gate.run({}, () => String(rig.slots.active)))
    await rig.listen()
    const answer = await rig.send('/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(answer.body).toBe('1')
  })

  it('survives options that throw', async () => {
    const broken = () => {
      throw new Error('host bug')
    }
    await start({}, { gate: broken, trust: broken, tenant: broken, criticality: broken })
    await tell()
    expect(await post()).toMatchObject({ criticality: 'sheddable-plus', tenant: null })
  })

  it('answers a trusted caller how often lower layers retried', async () => {
    await start({}, { trust: () => true })
    rig.app.get('/', async () => {
      const context = currentContext()
      if (context) context.retried = 3
      return 'ok'
    })
    await rig.listen()
    expect((await rig.send('/')).headers['weir-retried']).toBe('3')
  })

  it('clamps a deadline to the policy, and expired work never starts', async () => {
    await start({ deadline: { defaultMs: 100, minMs: 1, maxMs: 150 } }, { trust: () => true })
    rig.app.get('/', async (request) => String((request.weir?.remainingMs ?? 0) <= 150))
    await rig.listen()
    expect((await rig.send('/', { headers: { 'weir-deadline-ms': '60000' } })).body).toBe('true')
    const expired = await rig.send('/', { headers: { 'weir-deadline-ms': '0' } })
    expect(expired).toMatchObject({
      status: 503,
      headers: { 'weir-reason': 'expired-on-arrival', 'weir-signal': 'stop' },
    })
    expect(expired.headers['retry-after']).toBeUndefined()
  })
})
