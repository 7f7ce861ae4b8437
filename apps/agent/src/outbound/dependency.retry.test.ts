import { AsyncLocalStorage } from 'node:async_hooks'
import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { Dependency } from './dependency.ts'
import { flaky, idempotent, plenty, retry, retrying } from './retry.testkit.ts'
import { figuresOf, policyWith, rig, watch } from './rig.testkit.ts'
import { FAILURE, type Verdict } from './verdict.ts'

describe('a retry', () => {
  it('heals what fails in passing, each attempt with its own number', async () => {
    const it = retrying()
    const { work, sentAt } = flaky(it, 2)
    const call = watch(it.dependency.call(work, idempotent))
    await it.time.run(200)
    expect([call.value, sentAt]).toEqual([3, [0, 100, 200]])
    expect(figuresOf(it).counters).toEqual({ calls: 1, completed: 1, attempts: 3, retries: 2 })
  })

  it('ends with the last error after the last attempt', async () => {
    const it = retrying()
    const call = watch(it.dependency.call(flaky(it, 9).work, idempotent))
    await it.time.run(1_000)
    expect(call.error).toBe('failure 3')
  })

  it('is not sent once its time is over: the process stood still while it slept', async () => {
    const runtime = virtualRuntime()
    let stoodStillMs = 0
    const clock = { now: () => runtime.time.now() + stoodStillMs }
    const dependency = new Dependency('payments', { ...runtime, clock })
    dependency.apply({ policy: policyWith({ budget: plenty, retry, timeoutMs: 500 }), revision: 1 })
    let sent = 0
    const call = watch(dependency.call(() => Promise.reject(`failure ${++sent}`), idempotent))
    await runtime.time.run(50)
    stoodStillMs = 5_000
    await runtime.time.run(50)
    expect([sent, call.error, dependency.report().inFlight]).toEqual([1, 'failure 1', 0])
  })

  it('is made for repeatable work only: idempotent, or with a key that goes out with every attempt', async () => {
    const plain = retrying()
    const once = watch(plain.dependency.call(flaky(plain, 9).work))
    await plain.time.run(0)
    expect(once.error).toBe('failure 1')
    const keyed = retrying()
    const keys: unknown[] = []
    const call = watch(
      keyed.dependency.call(
        ({ attempt, headers }) => {
          keys.push(headers['idempotency-key'])
          return attempt < 3 ? Promise.reject('x') : 'done'
        },
        { idempotencyKey: 'order-7' },
      ),
    )
    await keyed.time.run(200)
    expect([call.value, keys]).toEqual(['done', ['order-7', 'order-7', 'order-7']])
  })

  it('is never the sixth attempt: a policy that says so is refused', () => {
    expect(() => rig({ retry: { maxAttempts: 9 } })).toThrow('9 is not a number from 1 to 5')
  })

  it('B-82b is not slept for past the deadline: it fails at once', async () => {
    const it = retrying({ timeoutMs: 150 })
    const { work, sentAt } = flaky(it, 9)
    const call = watch(it.dependency.call(work, idempotent))
    await it.time.run(100)
    expect([call.error, sentAt]).toEqual(['failure 2', [0, 100]])
    const bounded = watch(it.dependency.call(flaky(it, 9).work, { ...idempotent, deadlineMs: 50 }))
    await it.time.run(0)
    expect(bounded.error).toBe('failure 1')
  })

  it('O-15 B-68 an abort cuts the sleep: settled at that moment, one attempt, no timer that does anything', async () => {
    const it = retrying({ retry: { initialMs: 200 } })
    const caller = new AbortController()
    const { work, sentAt } = flaky(it, 9)
    const call = watch(it.dependency.call(work, { ...idempotent, signal: caller.signal }))
    await it.time.run(50)
    caller.abort('enough')
    await it.time.run(0)
    expect([call.error, it.dependency.report().inFlight]).toEqual(['enough', 0])
    await it.time.run(1_000)
    expect([sentAt, it.time.pending]).toEqual([[0], 0])
  })

  it('O-16 B-68 nor does the wait that the callee named outlast an abort', async () => {
    const it = retrying()
    const caller = new AbortController()
    const answer = () => new Response(null, { status: 503, headers: { 'retry-after': '2' } })
    const call = watch(it.dependency.call(answer, { ...idempotent, signal: caller.signal }))
    await it.time.run(100)
    caller.abort('enough')
    await it.time.run(0)
    expect(call.error).toBe('enough')
  })

  it('B-52 runs in the async context of its caller, not in that of whoever set the timer', async () => {
    const it = retrying()
    const storage = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const call = (name: string) =>
      storage.run(name, () =>
        watch(
          it.dependency.call(
            ({ attempt }) => {
              seen.push(`${storage.getStore()} ${attempt}`)
              return Promise.reject('x')
            },
            { ...idempotent, fallback: () => void seen.push(`${storage.getStore()} fallback`) },
          ),
        ),
      )
    call('a')
    await it.time.run(1)
    call('b')
    await it.time.run(300)
    const sorted = (name: string) => seen.filter((one) => one?.startsWith(name))
    expect(sorted('a')).toEqual(['a 1', 'a 2', 'a 3', 'a fallback'])
    expect(sorted('b')).toEqual(['b 1', 'b 2', 'b 3', 'b fallback'])
  })

  it('lets go of the value that it replaces, and hands on the last one', async () => {
    const it = retrying()
    const dropped: number[] = []
    const classify = (): Verdict => FAILURE
    const call = watch(
      it.dependency.call(({ attempt }) => attempt, {
        ...idempotent,
        classify,
        discard: (value) => dropped.push(value),
      }),
    )
    await it.time.run(200)
    expect([call.state, call.value, dropped]).toEqual(['resolved', 3, [1, 2]])
    expect(figuresOf(it).counters).toMatchObject({ failed: 1 })
  })

  it('is not sent into a breaker that opened meanwhile: the last error, and no sleep either', async () => {
    const it = rig({
      budget: plenty,
      timeoutMs: 10_000,
      breaker: { minimumVolume: 2 },
      retry: { ...retry, maxAttempts: 5 },
    })
    const { work, sentAt } = flaky(it, 9)
    const call = watch(it.dependency.call(work, idempotent))
    await it.time.run(100)
    expect([call.error, sentAt]).toEqual(['failure 2', [0, 100]])
    const asleep = rig({ budget: plenty, timeoutMs: 10_000, breaker: { minimumVolume: 3 }, retry })
    const sleeper = watch(asleep.dependency.call(flaky(asleep, 9).work, idempotent))
    await asleep.time.run(10)
    for (let i = 0; i < 2; i++) await asleep.dependency.call(() => Promise.reject('x')).catch(() => {})
    await asleep.time.run(90)
    expect(sleeper.error).toBe('failure 1')
  })

  it('B-71b each dependency has a budget of its own', async () => {
    const broken = retrying({ budget: { kind: 'token-bucket', maxTokens: 4, ratio: 0.1 } })
    for (let i = 0; i < 10; i++) watch(broken.dependency.call(() => Promise.reject('x'), idempotent))
    await broken.time.run(0)
    expect(broken.dependency.report().budgetLeft).toBe(0)
    const other = retrying({ budget: { kind: 'token-bucket', maxTokens: 4, ratio: 0.1 } })
    const call = watch(other.dependency.call(flaky(other, 1).work, idempotent))
    await other.time.run(100)
    expect(call.value).toBe(2)
  })
})
