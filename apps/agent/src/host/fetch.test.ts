import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { contextOf } from '../outbound/rig.testkit.ts'
import { ClientRig, refusingFirst } from './client-rig.testkit.ts'
import { until } from './gate-rig.testkit.ts'
import { weirFetch } from './undici.ts'

let rig: ClientRig
beforeEach(async () => {
  rig = await new ClientRig().start()
})
afterEach(() => rig.stop())
const fetching = () => weirFetch(rig.weir, 'payments')
const inbound = () => contextOf({ criticality: 'critical', tenant: 'acme' })

describe('fetch over a dependency', () => {
  it('answers, counts and sends what a bare fetch would', async () => {
    const response = await fetching()(`${rig.origin}/a?b=1`, {
      method: 'POST',
      body: 'hello',
      headers: { 'x-mine': '1' },
    })
    expect([response.status, await response.text()]).toEqual([200, 'ok'])
    expect(rig.seen).toMatchObject([{ method: 'POST', url: '/a?b=1', body: 'hello', headers: { 'x-mine': '1' } }])
    expect(rig.figures).toEqual({ calls: 1, attempts: 1, completed: 1 })
  })

  it('retries idempotent methods, with their body, and lets the answers that it drops go', async () => {
    rig.serve(refusingFirst(2, 503, {}, 'x'.repeat(100_000)))
    const response = await fetching()(rig.origin, { method: 'PUT', body: 'again' })
    expect(await response.text()).toBe('ok')
    expect(rig.seen.map(({ body }) => body)).toEqual(['again', 'again', 'again'])
    await until(() => rig.sockets <= 1)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('retries %s', async (method) => {
    rig.serve(refusingFirst(1))
    expect((await fetching()(rig.origin, { method })).status).toBe(200)
    expect(rig.seen).toHaveLength(2)
  })

  it.each(['POST', 'PATCH'])('does not retry %s, unless it bears an idempotency key', async (method) => {
    rig.serve(refusingFirst(9))
    const bare = await fetching()(rig.origin, { method, body: 'x' })
    expect([bare.status, await bare.text(), rig.seen.length]).toEqual([503, 'refused', 1])
    await (await fetching()(rig.origin, { method, body: 'x', headers: { 'Idempotency-Key': 'k' } })).text()
    expect(rig.seen).toHaveLength(4)
    expect(rig.seen.at(-1)?.headers['idempotency-key']).toBe('k')
  })

  it('never retries a body that is a stream, of its own or of a Request', async () => {
    rig.serve(refusingFirst(9))
    const stream = () => new Blob(['once']).stream()
    const init = { method: 'PUT', body: stream(), duplex: 'half' as const }
    expect((await fetching()(rig.origin, init)).status).toBe(503)
    expect((await fetching()(new Request(rig.origin, { method: 'PUT', body: 'once' }))).status).toBe(503)
    expect(rig.seen.map(({ body }) => body)).toEqual(['once', 'once'])
  })

  it('retries a Request without a body', async () => {
    rig.serve(refusingFirst(1))
    expect((await fetching()(new Request(rig.origin, { headers: { 'x-mine': '1' } }))).status).toBe(200)
    expect(rig.seen.map(({ headers }) => headers['x-mine'])).toEqual(['1', '1'])
  })

  it('obeys stop, and hands the refusal on whole', async () => {
    rig.apply({ internal: true })
    rig.serve(refusingFirst(9, 503, { 'weir-signal': 'stop', 'weir-reason': 'draining' }))
    const response = await fetching()(rig.origin)
    expect([response.status, response.headers.get('weir-reason'), rig.seen.length]).toEqual([503, 'draining', 1])
  })

  it('a callee that is not there is a failure that is retried', async () => {
    const { origin } = rig
    // Started before the other ends, so that it cannot be given the port that nobody is to listen on.
    const next = await new ClientRig().start()
    await rig.stop()
    await expect(fetching()(origin)).rejects.toMatchObject({ reason: 'draining' })
    rig = next
    await expect(weirFetch(rig.weir, 'payments')(origin)).rejects.toThrow('fetch failed')
    expect(rig.figures).toMatchObject({ attempts: 3, failed: 1 })
  })

  it('a wrong URL says nothing about the callee', async () => {
    rig.apply({ breaker: { mode: 'auto', minimumVolume: 1 } })
    await expect(fetching()('no url')).rejects.toThrow()
    expect(rig.dependency.report().breaker).toBe('closed')
    expect(rig.figures).toMatchObject({ attempts: 1, failed: 1 })
  })

  it('aborts the request on the wire when its time is over', async () => {
    rig.apply({ timeoutMs: 30 })
    rig.serve(() => {})
    await expect(fetching()(rig.origin)).rejects.toMatchObject({ name: 'WeirTimeout' })
    await until(() => rig.sockets === 0)
    expect(rig.dependency.report().inFlight).toBe(0)
  })

  it('the signal of the caller ends the request, and later the body', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const caller = new AbortController()
    const response = await fetching()(rig.origin, { signal: caller.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    caller.abort(new Error('enough'))
    await expect(reader?.read()).rejects.toThrow('enough')
    await until(() => rig.sockets === 0)
    expect(rig.figures).toMatchObject({ cancelled: 1 })
  })
})

describe('the body of the answer', () => {
  const inFlight = () => rig.dependency.report().inFlight

  it('holds the slot until it is over: read, cancelled, or never there', async () => {
    const read = await fetching()(rig.origin)
    expect(inFlight()).toBe(1)
    expect(await read.text()).toBe('ok')
    await until(() => inFlight() === 0)
    const left = await fetching()(rig.origin)
    await left.body?.cancel()
    await until(() => inFlight() === 0)
    rig.serve((response) => response.writeHead(204).end())
    await fetching()(rig.origin)
    expect(inFlight()).toBe(0)
    expect(rig.figures).toEqual({ calls: 3, attempts: 3, completed: 3 })
  })

  it('that hangs is cut off at the timeout, on the wire as well', async () => {
    rig.apply({ timeoutMs: 50 })
    rig.serve((response) => void response.writeHead(200).write('first'))
    const response = await fetching()(rig.origin)
    await expect(response.text()).rejects.toMatchObject({ name: 'WeirTimeout' })
    await until(() => inFlight() === 0 && rig.sockets === 0)
    expect(rig.figures).toMatchObject({ failed: 1 })
  })

  it('that nobody reads is cut off at the timeout too, and is no zombie then', async () => {
    rig.apply({ timeoutMs: 50 })
    rig.serve((response) => void response.writeHead(200).write('first'))
    const response = await fetching()(rig.origin)
    await until(() => rig.sockets === 0)
    await until(() => inFlight() === 0)
    expect([response.status, rig.figures]).toMatchObject([200, { failed: 1 }])
  })

  it('comes whole under a status that a Response cannot be made with', async () => {
    rig.serve((response) => response.writeHead(999).end('odd'))
    const response = await fetching()(rig.origin, { method: 'POST' })
    expect([response.status, response.ok, await response.text()]).toEqual([999, false, 'odd'])
  })

  it('comes whole from any fetch: shared memory, empty pieces', async () => {
    const pieces = [Buffer.from('a'), new Uint8Array(0), Buffer.from('b')]
    const fetch = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            const piece = pieces.shift()
            if (piece === undefined) controller.close()
            else controller.enqueue(piece)
          },
        }),
      )
    expect(await (await weirFetch(rig.weir, 'payments', { fetch })(rig.origin)).text()).toBe('ab')
  })

  it('that breaks off is a failure', async () => {
    rig.serve((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('first')
      setImmediate(() => response.destroy())
    })
    await expect((await fetching()(rig.origin)).text()).rejects.toThrow()
    await until(() => inFlight() === 0)
    expect(rig.figures).toMatchObject({ failed: 1 })
  })

  it('is no part of the call where the host says so', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const response = await weirFetch(rig.weir, 'payments', { until: 'head' })(rig.origin)
    expect(inFlight()).toBe(0)
    await response.body?.cancel()
  })

  it('is what it was: by the byte, the address, the copies', async () => {
    rig.serve((response) => response.setHeader('content-type', 'text/plain').end('hello'))
    const response = await fetching()(`${rig.origin}/a`)
    expect([response.url, response.redirected, response.type, response.headers.get('content-type')]).toEqual([
      `${rig.origin}/a`,
      false,
      'basic',
      'text/plain',
    ])
    expect(await response.clone().text()).toBe('hello')
    const reader = response.body?.getReader({ mode: 'byob' })
    const first = await reader?.read(new Uint8Array(2))
    expect(new TextDecoder().decode(first?.value)).toBe('he')
    await reader?.cancel()
    await until(() => inFlight() === 0)
  })
})

describe('replicas', () => {
  it('each request goes to one of them, a retry to another', async () => {
    const other = await new ClientRig().start()
    try {
      rig.serve((response) => response.writeHead(503).end())
      other.serve((response) => response.writeHead(503).end())
      const client = weirFetch(rig.weir, 'payments', { endpoints: () => [rig.origin, other.origin] })
      expect((await client('http://payments.invalid/a?b=1')).status).toBe(503)
      expect([...rig.seen, ...other.seen].map(({ url }) => url)).toEqual(['/a?b=1', '/a?b=1', '/a?b=1'])
      expect(Math.abs(rig.seen.length - other.seen.length)).toBe(1)
      const request = new Request('http://payments.invalid/b', { method: 'POST', body: 'hello' })
      await client(request)
      expect([...rig.seen, ...other.seen].filter(({ url }) => url === '/b')).toMatchObject([
        { method: 'POST', body: 'hello' },
      ])
    } finally {
      await other.stop()
    }
  })
})

describe('the context on the way out', () => {
  it('goes to an internal dependency with every attempt, beside the baggage of the caller', async () => {
    rig.apply({ internal: true })
    rig.serve(refusingFirst(1))
    const init = { headers: { baggage: 'theirs=1' } }
    await runInContext(inbound(), () => fetching()(rig.origin, init))
    const [first, second] = rig.seen.map(({ headers }) => headers)
    expect(first).toMatchObject({ 'weir-attempt': '1', 'weir-criticality': 'critical', 'weir-tenant': 'acme' })
    expect(second?.['weir-attempt']).toBe('2')
    expect(Number(second?.['weir-deadline-ms'])).toBeLessThanOrEqual(5_000)
    expect(first?.baggage).toBe('theirs=1,weir.criticality=critical,weir.tenant=acme')
  })

  it('goes to no other', async () => {
    await runInContext(inbound(), () => fetching()(rig.origin))
    expect(
      Object.keys(rig.seen[0]?.headers ?? {}).filter((name) => name.startsWith('weir') || name === 'baggage'),
    ).toEqual([])
  })

  it('does not cross a redirect, nor do credentials cross to another origin', async () => {
    const other = await new ClientRig().start()
    try {
      rig.apply({ internal: true })
      rig.serve((response, { url }) => {
        if (url === '/here') response.end('here')
        else response.writeHead(302, { location: url === '/away' ? `${other.origin}/there` : '/here' }).end('moved')
      })
      const headers = { authorization: 'secret', 'x-mine': '1' }
      const stay = await runInContext(inbound(), () => fetching()(`${rig.origin}/stay`, { headers }))
      expect(await stay.text()).toBe('here')
      expect(rig.seen[1]?.headers).toMatchObject({ authorization: 'secret', 'x-mine': '1' })
      await (await runInContext(inbound(), () => fetching()(`${rig.origin}/away`, { headers }))).text()
      const away = other.seen[0]?.headers
      expect(away).toMatchObject({ 'x-mine': '1' })
      expect(away?.authorization).toBeUndefined()
      for (const { headers } of [rig.seen[1], other.seen[0]].flatMap((one) => one ?? []))
        expect(Object.keys(headers).filter((name) => name.startsWith('weir') || name === 'baggage')).toEqual([])
    } finally {
      await other.stop()
    }
  })

  it.each(['data:text/plain,mine', 'http://['])(
    'is not led to %s, and the answer that tried holds no connection',
    async (location) => {
      rig.apply({ internal: true })
      rig.serve((response) => response.writeHead(302, { location }).end('x'.repeat(1_000_000)))
      await expect(fetching()(rig.origin)).rejects.toThrow(TypeError)
      await until(() => rig.sockets === 0)
    },
  )

  it('a POST that is sent elsewhere becomes a GET by 303, stays one by 307, and manual means manual', async () => {
    rig.apply({ internal: true })
    rig.serve((response, { url }) => {
      const status = Number(url.slice(1))
      if (status > 0) response.writeHead(status, { location: '/' }).end()
      else response.end('ok')
    })
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }
    await fetching()(`${rig.origin}/303`, init)
    await fetching()(`${rig.origin}/307`, init)
    expect(rig.seen.map(({ method, body }) => `${method} ${body}`)).toEqual(['POST x', 'GET ', 'POST x', 'POST x'])
    expect((await fetching()(`${rig.origin}/302`, { redirect: 'manual' })).status).toBe(302)
  })
})
