import { Agent, type Dispatcher, interceptors, request } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { contextOf } from '../outbound/rig.testkit.ts'
import { ClientRig, refusingFirst } from './client-rig.testkit.ts'
import { until } from './gate-rig.testkit.ts'
import { weirInterceptor } from './undici.ts'

let rig: ClientRig
let agent: Agent
let dispatcher: Dispatcher
beforeEach(async () => {
  rig = await new ClientRig().start()
  agent = new Agent({ connections: 1 })
  dispatcher = agent.compose(weirInterceptor(rig.weir, 'payments'))
})
afterEach(async () => {
  await agent.destroy()
  await rig.stop()
})
const ask = (options: Parameters<typeof request>[1] = {}, path = '/') =>
  request(`${rig.origin}${path}`, { dispatcher, ...options })

describe('the undici interceptor', () => {
  it('answers with head, body and trailers as without it', async () => {
    rig.serve((response) => {
      response.writeHead(201, { 'x-a': '1', trailer: 'x-t' })
      response.addTrailers({ 'x-t': 'end' })
      response.end('body')
    })
    const { statusCode, headers, body, trailers } = await ask({
      method: 'POST',
      body: 'hello',
      headers: { 'x-mine': '1' },
    })
    expect([statusCode, headers['x-a'], await body.text(), trailers]).toEqual([201, '1', 'body', { 'x-t': 'end' }])
    expect(rig.seen).toMatchObject([{ method: 'POST', body: 'hello', headers: { 'x-mine': '1' } }])
    expect(rig.figures).toEqual({ calls: 1, attempts: 1, completed: 1 })
  })

  it('a long body arrives whole, also to a slow reader', async () => {
    const text = 'x'.repeat(3_000_000)
    rig.serve((response) => response.end(text))
    const { body } = await ask()
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(length).toBe(text.length)
  })

  it.each([204, 304, 404])('an answer of %s without a body ends', async (status) => {
    rig.serve((response) => response.writeHead(status).end())
    const { statusCode, body } = await ask()
    expect([statusCode, await body.text()]).toEqual([status, ''])
  })

  it('an early hint is no answer', async () => {
    rig.serve((response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('ok')
    })
    expect(await (await ask()).body.text()).toBe('ok')
  })

  it('retries on the same connection: short answers that are dropped are read to their end', async () => {
    rig.serve(refusingFirst(2))
    expect(await (await ask()).body.text()).toBe('ok')
    expect([rig.seen.length, rig.connections]).toEqual([3, 1])
    expect(rig.figures).toEqual({ calls: 1, attempts: 3, retries: 2, completed: 1 })
  })

  it('an endless answer that is dropped costs its connection, not the retry', async () => {
    const timers: NodeJS.Timeout[] = []
    rig.serve((response, _seen, n) => {
      if (n > 1) return response.end('ok')
      response.writeHead(503)
      timers.push(setInterval(() => response.write('x'.repeat(20_000)), 1))
      response.on('close', () => timers.forEach(clearInterval))
    })
    expect(await (await ask()).body.text()).toBe('ok')
    await until(() => rig.sockets <= 1)
  })

  it('does not retry POST without a key, nor a streamed body', async () => {
    rig.serve(refusingFirst(9))
    const post = await ask({ method: 'POST', body: 'x' })
    expect([post.statusCode, await post.body.text(), rig.seen.length]).toEqual([503, 'refused', 1])
    const put = await ask({ method: 'PUT', body: (await import('node:stream')).Readable.from(['once']) })
    await put.body.dump()
    expect(rig.seen).toHaveLength(2)
    await (await ask({ method: 'POST', body: 'x', headers: ['Idempotency-Key', 'k'] })).body.dump()
    expect(rig.seen).toHaveLength(5)
  })

  it('O-16 an abort cuts the wait that the callee named', async () => {
    rig.serve(refusingFirst(9, 503, { 'retry-after': '2' }))
    const caller = new AbortController()
    const start = performance.now()
    const asked = ask({ signal: caller.signal })
    await until(() => rig.seen.length === 1)
    caller.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(performance.now() - start).toBeLessThan(1_500)
    expect(rig.dependency.report().inFlight).toBe(0)
    expect(rig.figures).toMatchObject({ cancelled: 1, attempts: 1 })
  })

  it('a refusal made here reaches the caller as an error, and no socket is opened', async () => {
    rig.apply({ ceiling: 0 })
    await expect(ask()).rejects.toMatchObject({ name: 'WeirRefusal', reason: 'ceiling-reached' })
    expect(rig.connections).toBe(0)
  })

  it('a timeout ends the request on the wire', async () => {
    rig.apply({ timeoutMs: 30 })
    rig.serve(() => {})
    await expect(ask()).rejects.toMatchObject({ name: 'WeirTimeout' })
    await until(() => rig.sockets === 0 && rig.dependency.report().inFlight === 0)
  })

  it('an answer that breaks off in its body is the caller to see', async () => {
    rig.serve((response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    const { body } = await ask()
    await expect(body.text()).rejects.toThrow()
  })

  it('the body is part of the call: it holds the slot, and what hangs in it is cut off at the timeout', async () => {
    rig.apply({ timeoutMs: 100 })
    rig.serve((response) => void response.writeHead(200).write('first'))
    const { body } = await ask()
    expect(rig.dependency.report().inFlight).toBe(1)
    await expect(body.text()).rejects.toMatchObject({ name: 'WeirTimeout' })
    await until(() => rig.sockets === 0 && rig.dependency.report().inFlight === 0)
    expect(rig.figures).toMatchObject({ failed: 1 })
  })

  it('unless the host says that the call ends with the head', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const untilHead = agent.compose(weirInterceptor(rig.weir, 'payments', { until: 'head' }))
    const { body } = await ask({ dispatcher: untilHead })
    expect(rig.dependency.report().inFlight).toBe(0)
    body.on('error', () => undefined).destroy()
  })

  it('goes to the replicas in turn, a retry to another', async () => {
    const other = await new ClientRig().start()
    try {
      for (const one of [rig, other]) one.serve(refusingFirst(9))
      const endpoints = () => [rig.origin, other.origin]
      const spread = new Agent().compose(weirInterceptor(rig.weir, 'payments', { endpoints }))
      const { body } = await request('http://payments.invalid/a', { dispatcher: spread })
      await body.dump()
      expect(rig.seen.length + other.seen.length).toBe(3)
      expect(Math.abs(rig.seen.length - other.seen.length)).toBe(1)
    } finally {
      await other.stop()
    }
  })

  it('beside a hedge that lost, the caller steers the answer that won', async () => {
    rig.apply({ hedge: { afterMs: 5 } })
    const first = Promise.withResolvers<() => void>()
    rig.serve((response, _seen, n) => {
      if (n === 1) first.resolve(() => response.writeHead(200, { 'x-n': '1' }).end('ok'))
    })
    const two = new Agent({ connections: 2 })
    const raw = Promise.withResolvers<unknown>()
    try {
      two.compose(weirInterceptor(rig.weir, 'payments')).dispatch(
        { origin: rig.origin, path: '/', method: 'GET' },
        {
          onResponseStart: (controller) => raw.resolve((controller as { rawHeaders?: unknown }).rawHeaders),
          onResponseData: () => {},
          onResponseEnd: () => {},
          onResponseError: (_controller, error) => raw.reject(error),
        },
      )
      await until(() => rig.seen.length === 2)
      ;(await first.promise)()
      expect(String(await raw.promise)).toContain('x-n')
    } finally {
      await two.destroy()
    }
  })

  it('the caller may leave in the middle of the body', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const caller = new AbortController()
    const { body } = await ask({ signal: caller.signal })
    const rest = body.text()
    caller.abort(new Error('enough'))
    await expect(rest).rejects.toThrow('enough')
    await until(() => rig.sockets === 0)
  })

  it('B-64 leaves no slot, however many requests end however', async () => {
    rig.serve((response, _seen, n) => response.writeHead(n % 3 === 0 ? 503 : 200).end('x'))
    const all = Array.from({ length: 100 }, async (_, i) => (await ask({}, `/${i}`)).body.dump())
    const ends = await Promise.allSettled(all)
    expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true)
    await until(() => rig.dependency.report().inFlight === 0)
  })
})

describe('the context on the way out', () => {
  const inbound = contextOf({ criticality: 'critical', tenant: 'acme' })
  const ours = (headers: object = {}) =>
    Object.keys(headers).filter((name) => name.startsWith('weir') || name === 'baggage')

  it.each([
    { form: 'an object', headers: { Baggage: 'theirs=1', 'x-mine': '1' } },
    { form: 'a list', headers: ['Baggage', 'theirs=1', 'x-mine', '1'] },
    {
      form: 'pairs',
      headers: new Map([
        ['Baggage', 'theirs=1'],
        ['x-mine', '1'],
      ]),
    },
  ])('goes to an internal dependency beside headers given as $form', async ({ headers }) => {
    rig.apply({ internal: true })
    await (await runInContext(inbound, () => ask({ headers }))).body.dump()
    expect(rig.seen[0]?.headers).toMatchObject({
      'x-mine': '1',
      'weir-attempt': '1',
      'weir-criticality': 'critical',
      'weir-tenant': 'acme',
      baggage: 'theirs=1,weir.criticality=critical,weir.tenant=acme',
    })
  })

  it('goes to no other, and not to where another origin is redirected to', async () => {
    await (await runInContext(inbound, () => ask())).body.dump()
    expect(ours(rig.seen[0]?.headers)).toEqual([])
    const other = await new ClientRig().start()
    try {
      rig.apply({ internal: true })
      rig.serve((response) => response.writeHead(302, { location: `${other.origin}/there` }).end())
      const own = agent.compose([
        weirInterceptor(rig.weir, 'payments', { origin: rig.origin }),
        interceptors.redirect({ maxRedirections: 3 }),
      ])
      await (await runInContext(inbound, () => ask({ dispatcher: own }))).body.dump()
      expect(ours(rig.seen[1]?.headers)).not.toEqual([])
      expect([other.seen.length, ours(other.seen[0]?.headers)]).toEqual([1, []])
    } finally {
      await other.stop()
    }
  })
})
