import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import axios, { type AxiosRequestConfig } from 'axios'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { contextOf } from '../outbound/rig.testkit.ts'
import { type AxiosOptions, weirAxios } from './axios.ts'
import { ClientRig, refusingFirst } from './client-rig.testkit.ts'
import { weirFetch } from './fetch.ts'
import { until } from './gate-rig.testkit.ts'
import { weirHttpClient } from './http-client.ts'
import type { HttpClientOptions } from './outbound/http-client.ts'

interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}
interface Answer {
  readonly status: number
  text(): Promise<string>
  leave(): void
}
type Client = (rig: ClientRig, options?: HttpClientOptions) => (url: string, ask?: Ask) => Promise<Answer>

const fetching: Client = (rig, options) => async (url, ask) => {
  const response = await weirFetch(rig.weir, 'payments', options)(url, ask)
  return { status: response.status, text: () => response.text(), leave: () => void response.body?.cancel() }
}

const http: Client = (rig, options) => async (url, ask) => {
  const answer = await weirHttpClient(rig.weir, 'payments', options)(url, ask)
  return { status: answer.statusCode ?? 0, text: () => text(answer), leave: () => void answer.destroy() }
}

const axiosOf = (rig: ClientRig, options: AxiosOptions = {}) =>
  axios.create({ adapter: weirAxios(rig.weir, 'payments', options), validateStatus: () => true })

const axiosClient: Client = (rig, options) => async (url, ask) => {
  const config: AxiosRequestConfig = { url, responseType: 'stream', ...ask, data: ask?.body }
  const { status, data } = await axiosOf(rig, options).request<Readable>(config)
  return { status, text: () => text(data), leave: () => void data.destroy() }
}

let rig: ClientRig
beforeEach(async () => {
  rig = await new ClientRig().start()
})
afterEach(() => rig.stop())
const inFlight = () => rig.dependency.report().inFlight

describe.each([
  { name: 'fetch', client: fetching },
  { name: 'node:http', client: http },
  { name: 'axios', client: axiosClient },
])('every HTTP client: $name', ({ client }) => {
  it('sends what it is given, answers and counts', async () => {
    const answer = await client(rig)(`${rig.origin}/a?b=1`, {
      method: 'POST',
      body: 'hello',
      headers: { 'x-mine': '1' },
    })
    expect([answer.status, await answer.text()]).toEqual([200, 'ok'])
    expect(rig.seen).toMatchObject([{ method: 'POST', url: '/a?b=1', body: 'hello', headers: { 'x-mine': '1' } }])
    await until(() => inFlight() === 0)
    expect(rig.figures).toEqual({ calls: 1, attempts: 1, completed: 1 })
  })

  it('retries what may be repeated, with its body, and leaves no connection to what it dropped', async () => {
    rig.serve(refusingFirst(2, 503, {}, 'x'.repeat(200_000)))
    const answer = await client(rig)(rig.origin, { method: 'PUT', body: 'again' })
    expect([answer.status, await answer.text()]).toEqual([200, 'ok'])
    expect(rig.seen.map(({ body }) => body)).toEqual(['again', 'again', 'again'])
    await until(() => rig.sockets <= 1)
  })

  it('does not repeat POST without a key, and hands the refusal on', async () => {
    rig.serve(refusingFirst(9))
    const answer = await client(rig)(rig.origin, { method: 'POST', body: 'x' })
    expect([answer.status, await answer.text(), rig.seen.length]).toEqual([503, 'refused', 1])
    await (await client(rig)(rig.origin, { method: 'POST', body: 'x', headers: { 'Idempotency-Key': 'k' } })).text()
    expect(rig.seen).toHaveLength(4)
  })

  it('the context goes to an internal callee, and to no other', async () => {
    const inbound = contextOf({ criticality: 'critical', tenant: 'acme' })
    const ask = async () =>
      (await runInContext(inbound, () => client(rig)(rig.origin, { headers: { baggage: 'theirs=1' } }))).text()
    await ask()
    rig.apply({ internal: true })
    await ask()
    const [stranger, own] = rig.seen.map(({ headers }) => headers)
    expect([stranger?.['weir-tenant'], stranger?.baggage]).toEqual([undefined, 'theirs=1'])
    expect(own).toMatchObject({ 'weir-tenant': 'acme', 'weir-attempt': '1', 'weir-criticality': 'critical' })
    expect(own?.baggage).toBe('theirs=1,weir.criticality=critical,weir.tenant=acme')
  })

  it('believes stop of an internal callee, and of no other', async () => {
    rig.serve(refusingFirst(99, 503, { 'weir-signal': 'stop' }))
    await (await client(rig)(rig.origin)).text()
    expect(rig.seen).toHaveLength(3)
    rig.apply({ internal: true })
    await (await client(rig)(rig.origin)).text()
    expect(rig.seen).toHaveLength(4)
  })

  it('the body is part of the call: its slot is held, a hang in it is cut off on the wire', async () => {
    rig.apply({ timeoutMs: 150 })
    rig.serve((response) => void response.writeHead(200).write('first'))
    const answer = await client(rig)(rig.origin)
    expect(inFlight()).toBe(1)
    await expect(answer.text()).rejects.toThrow()
    await until(() => inFlight() === 0 && rig.sockets === 0)
    expect(rig.figures).toMatchObject({ failed: 1 })
  })

  it('a reader who wants no more ends the call well', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const answer = await client(rig)(rig.origin)
    answer.leave()
    await until(() => inFlight() === 0 && rig.sockets === 0)
    expect(rig.figures).toMatchObject({ completed: 1 })
  })

  it('where there is none, nobody has to read it', async () => {
    rig.serve((response, _seen, n) =>
      response.writeHead(n === 2 ? 204 : 200, n === 3 ? { 'content-length': '0' } : {}).end(),
    )
    await client(rig)(rig.origin, { method: 'HEAD' })
    await client(rig)(rig.origin)
    await client(rig)(rig.origin)
    await until(() => inFlight() === 0)
    expect(rig.figures).toMatchObject({ calls: 3, completed: 3 })
  })

  it('with until: head the body is the reader’s alone', async () => {
    rig.serve((response) => void response.writeHead(200).write('first'))
    const answer = await client(rig, { until: 'head' })(rig.origin)
    expect(inFlight()).toBe(0)
    answer.leave()
  })

  it('a timeout and an abort end the request on the wire', async () => {
    rig.serve(() => {})
    rig.apply({ timeoutMs: 50 })
    await expect(client(rig)(rig.origin)).rejects.toMatchObject({ name: 'WeirTimeout' })
    rig.apply({ timeoutMs: 5_000 })
    const caller = new AbortController()
    const asked = client(rig)(`${rig.origin}/asked`, { signal: caller.signal })
    asked.catch(() => undefined)
    await until(() => rig.seen.some(({ url }) => url === '/asked'))
    caller.abort(new Error('gone'))
    // axios has a word of its own for it.
    await expect(asked).rejects.toThrow(/gone|canceled/)
    await until(() => inFlight() === 0 && rig.sockets === 0)
  })

  it('a refusal made here opens no connection', async () => {
    rig.apply({ ceiling: 0 })
    await expect(client(rig)(rig.origin)).rejects.toMatchObject({ reason: 'ceiling-reached' })
    expect(rig.connections).toBe(0)
  })

  it('a callee that is not there is a failure, a header that cannot be sent says nothing about it', async () => {
    rig.apply({ breaker: { mode: 'auto', minimumVolume: 1 }, retry: { maxAttempts: 1 } })
    // axios mends it, the others refuse it.
    await client(rig)(rig.origin, { headers: { 'x-bad': 'line\nbreak' } }).then(
      (answer) => answer.leave(),
      () => undefined,
    )
    expect(rig.dependency.report().breaker).toBe('closed')
    const gone = createServer().listen(0, '127.0.0.1')
    await until(() => gone.listening)
    const { port } = gone.address() as AddressInfo
    gone.close()
    await expect(client(rig)(`http://127.0.0.1:${port}`)).rejects.toThrow()
    expect(rig.dependency.report().breaker).toBe('open')
  })

  it('attempts go to the replicas on offer, a retry to another', async () => {
    const other = await new ClientRig().start()
    try {
      for (const one of [rig, other]) one.serve(refusingFirst(99))
      const ask = client(rig, { endpoints: () => [rig.origin, other.origin] })
      await (await ask('http://payments.invalid/a?b=1')).text()
      expect([...rig.seen, ...other.seen].map(({ url }) => url)).toEqual(['/a?b=1', '/a?b=1', '/a?b=1'])
      expect(Math.abs(rig.seen.length - other.seen.length)).toBe(1)
    } finally {
      await other.stop()
    }
  })
})

describe('axios alone', () => {
  it('rejects what validateStatus does not like, with the answer, as it does by itself', async () => {
    rig.serve(refusingFirst(1, 404))
    const client = axios.create({ adapter: weirAxios(rig.weir, 'payments') })
    await expect(client.get(rig.origin)).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      response: { data: 'refused' },
    })
    expect((await client.get(rig.origin)).data).toBe('ok')
  })

  it('the context does not cross a redirect, what the caller sent does', async () => {
    rig.apply({ internal: true })
    rig.serve((response, { url }) => {
      if (url === '/here') response.end('here')
      else response.writeHead(302, { location: '/here' }).end()
    })
    const headers = { 'x-mine': '1', baggage: 'theirs=1' }
    await runInContext(contextOf({ tenant: 'acme' }), () => axiosOf(rig).get(`${rig.origin}/away`, { headers }))
    expect(rig.seen[0]?.headers['weir-tenant']).toBe('acme')
    expect(rig.seen[1]?.headers).toMatchObject({ 'x-mine': '1', baggage: 'theirs=1' })
    expect(Object.keys(rig.seen[1]?.headers ?? {}).filter((name) => name.startsWith('weir'))).toEqual([])
  })

  it('never repeats a body that is a stream', async () => {
    rig.serve(refusingFirst(9))
    const { status } = await axiosOf(rig).put(rig.origin, Readable.from(['once']).pipe(new PassThrough()))
    expect([status, rig.seen.map(({ body }) => body)]).toEqual([503, ['once']])
  })
})
