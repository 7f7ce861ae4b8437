import { AsyncLocalStorage } from 'node:async_hooks'
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { realClock, realTimers } from '../core/real.ts'
import { Dependency } from '../outbound/dependency.ts'
import { contextOf, Figures, type PolicyChange, policyWith } from '../outbound/rig.testkit.ts'
import { SERVICE } from './conformance/grpc-service.testkit.ts'
import { until } from './gate-rig.testkit.ts'
import { weirGrpcClient } from './grpc-client.ts'

type Unary = ServerUnaryCall<unknown, unknown>
type Respond = sendUnaryData<unknown>

let server: Server
let client: Client
let dependency: Dependency
let seen: { metadata: Record<string, unknown>; leftMs: number; cancelled: boolean }[]
let serve: (respond: Respond, n: number) => void

const apply = (change: PolicyChange) =>
  dependency.apply({
    policy: policyWith({
      timeoutMs: 5_000,
      budget: { kind: 'ratio', share: 1, floorPerSecond: 1_000, windowMs: 10_000 },
      ...change,
      breaker: { mode: 'forced-closed', ...change.breaker },
      retry: { maxAttempts: 3, initialMs: 1, maxMs: 5, ...change.retry },
    }),
    revision: 1,
  })
const figures = () => {
  const sink = new Figures()
  dependency.collect(sink)
  return sink.counters
}

beforeEach(async () => {
  seen = []
  serve = (respond) => respond(null, 'ok')
  server = new Server()
  server.addService(
    { work: SERVICE.work, stream: SERVICE.stream },
    {
      work: (call: Unary, respond: Respond) => {
        const one = {
          metadata: call.metadata.getMap(),
          leftMs: Number(call.getDeadline()) - Date.now(),
          cancelled: false,
        }
        seen.push(one)
        call.on('cancelled', () => {
          one.cancelled = true
        })
        serve(respond, seen.length)
      },
      stream: (call: ServerWritableStream<unknown, unknown>) => {
        call.write('a')
        call.end()
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  dependency = new Dependency('payments', {
    clock: realClock,
    timers: realTimers,
    random: Math.random,
    onError: () => undefined,
  })
  apply({})
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    interceptors: [
      weirGrpcClient({ dependency: () => dependency }, 'payments', {
        idempotent: (path) => path === SERVICE.work.path,
      }),
    ],
  })
})
afterEach(() => {
  dependency.close()
  client.close()
  server.forceShutdown()
})

const ask = (metadata = new Metadata(), options: { deadline?: number } = {}) => {
  const { path, requestSerialize, responseDeserialize } = SERVICE.work
  let cancel = () => {}
  const answer = new Promise<unknown>((resolve, reject) => {
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      metadata,
      options,
      (error, value) => (error ? reject(error) : resolve(value)),
    )
    cancel = () => call.cancel()
  })
  answer.catch(() => undefined)
  return { answer, cancel: () => cancel() }
}

/** Ends the first `count` calls with `code`. */
const failingFirst =
  (count: number, code: status, trailers: Record<string, string> = {}): typeof serve =>
  (respond, n) => {
    if (n > count) return respond(null, 'ok')
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
    respond({ name: 'refused', message: 'refused', code, metadata } as ServiceError, null)
  }

describe('the gRPC client interceptor', () => {
  it('answers and counts; what the call gets is what the callee sent', async () => {
    expect(await ask().answer).toBe('ok')
    expect(figures()).toEqual({ calls: 1, attempts: 1, completed: 1 })
    expect(dependency.report().inFlight).toBe(0)
  })

  it.each([status.UNAVAILABLE, status.RESOURCE_EXHAUSTED, status.INTERNAL])('retries status %i', async (code) => {
    serve = failingFirst(2, code)
    expect(await ask().answer).toBe('ok')
    expect(figures()).toMatchObject({ attempts: 3, retries: 2 })
  })

  it('hands the last failure on, whole', async () => {
    serve = failingFirst(9, status.UNAVAILABLE, { 'x-why': 'busy' })
    const error = (await ask().answer.catch((error: unknown) => error)) as ServiceError
    expect([error.code, error.details, error.metadata.get('x-why')]).toEqual([status.UNAVAILABLE, 'refused', ['busy']])
    expect(seen).toHaveLength(3)
  })

  it.each([status.INVALID_ARGUMENT, status.NOT_FOUND, status.PERMISSION_DENIED])(
    'B-30a the caller’s own mistake, status %i, is neutral and not repeated',
    async (code) => {
      apply({ breaker: { mode: 'auto', minimumVolume: 1 } })
      serve = failingFirst(9, code)
      await expect(ask().answer).rejects.toMatchObject({ code })
      expect([seen.length, dependency.report().breaker]).toEqual([1, 'closed'])
    },
  )

  it.each(['-1', 'abc', '100abc', '99999999999'])('O-22 a pushback of %s means stop', async (pushback) => {
    serve = failingFirst(9, status.UNAVAILABLE, { 'grpc-retry-pushback-ms': pushback })
    await expect(ask().answer).rejects.toMatchObject({ code: status.UNAVAILABLE })
    expect(seen).toHaveLength(1)
  })

  it('a pushback in milliseconds is waited for', async () => {
    serve = failingFirst(1, status.UNAVAILABLE, { 'grpc-retry-pushback-ms': '60' })
    const from = performance.now()
    expect(await ask().answer).toBe('ok')
    expect(performance.now() - from).toBeGreaterThanOrEqual(59)
  })

  it('stop and retries below are believed of an internal callee, and of no other', async () => {
    for (const trailers of [{ 'weir-signal': 'stop' }, { 'weir-retried': '2' }] as Record<string, string>[]) {
      serve = failingFirst(99, status.UNAVAILABLE, trailers)
      for (const [internal, attempts] of [
        [false, 3],
        [true, 1],
      ] as const) {
        seen.length = 0
        apply({ internal })
        await ask().answer.catch(() => undefined)
        expect(seen).toHaveLength(attempts)
      }
    }
  })

  it('the context and what is left of the time go along', async () => {
    apply({ internal: true })
    const context = contextOf({ tenant: 'acme', criticality: 'critical', deadlineAt: realClock.now() + 1_000 })
    const metadata = new Metadata()
    metadata.set('baggage', 'theirs=1')
    await runInContext(context, () => ask(metadata).answer)
    expect(seen[0]?.metadata).toMatchObject({
      'weir-tenant': 'acme',
      'weir-attempt': '1',
      baggage: 'theirs=1,weir.criticality=critical,weir.tenant=acme',
    })
    expect(Number(seen[0]?.metadata['weir-deadline-ms'])).toBeLessThanOrEqual(1_000)
    expect(seen[0]?.leftMs).toBeLessThanOrEqual(1_000)
  })

  it('the client’s own deadline bounds the call', async () => {
    serve = () => {}
    await expect(ask(new Metadata(), { deadline: Date.now() + 60 }).answer).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    })
    await until(() => seen.every(({ cancelled }) => cancelled) && dependency.report().inFlight === 0)
  })

  it('a cancel ends it on the wire, and frees its slot', async () => {
    serve = () => {}
    const { answer, cancel } = ask()
    await until(() => seen.length === 1)
    cancel()
    await expect(answer).rejects.toMatchObject({ code: status.CANCELLED })
    await until(() => seen[0]?.cancelled === true && dependency.report().inFlight === 0)
    expect(figures()).toMatchObject({ cancelled: 1 })
  })

  it('a refusal made here says so in the words of a gate', async () => {
    apply({ ceiling: 0 })
    const error = (await ask().answer.catch((error: unknown) => error)) as ServiceError
    expect([error.code, error.metadata.get('weir-reason'), error.metadata.get('weir-signal')]).toEqual([
      status.UNAVAILABLE,
      ['ceiling-reached'],
      ['later'],
    ])
    expect(seen).toHaveLength(0)
  })

  it('B-52 the answer comes in the async context of its caller', async () => {
    serve = failingFirst(1, status.UNAVAILABLE)
    const store = new AsyncLocalStorage<string>()
    const { path, requestSerialize, responseDeserialize } = SERVICE.work
    const inside = await store.run(
      'mine',
      () =>
        new Promise((resolve) =>
          client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, () => resolve(store.getStore())),
        ),
    )
    expect(inside).toBe('mine')
  })

  it('streams pass untouched', async () => {
    const { path, requestSerialize, responseDeserialize } = SERVICE.stream
    const words: unknown[] = []
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {})
    for await (const word of stream) words.push(word)
    expect([words, figures()]).toEqual([['a'], {}])
  })
})
