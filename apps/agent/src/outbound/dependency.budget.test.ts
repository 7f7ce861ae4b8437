import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { Dependency } from './dependency.ts'
import { flaky, idempotent, retrying } from './retry.testkit.ts'
import { contextOf, figuresOf, lasting, type Rig, watch } from './rig.testkit.ts'
import { FAILURE, FINAL_FAILURE, refused, type Verdict } from './verdict.ts'

describe('the budget', () => {
  it('O-21 B-66e an empty one fails the call at once with its error, and is counted', async () => {
    const it = retrying({ budget: { kind: 'token-bucket', maxTokens: 2, ratio: 0.1 }, retry: { initialMs: 500 } })
    const call = watch(it.dependency.call(flaky(it, 9).work, idempotent))
    await it.time.run(0)
    expect(call.error).toBe('failure 1')
    expect(figuresOf(it).counters).toMatchObject({ budget_exhausted: 1 })
  })

  it('B-70a of a thousand that fail at once at most 20 % are asleep or running', async () => {
    const it = retrying({ ceiling: 1_000, budget: { kind: 'ratio', share: 0.2, floorPerSecond: 0, windowMs: 10_000 } })
    const calls = Array.from({ length: 1_000 }, () => watch(it.dependency.call(() => Promise.reject('x'), idempotent)))
    await it.time.run(0)
    expect(calls.filter(({ state }) => state === 'pending')).toHaveLength(200)
    await it.time.run(5_000)
    expect(figuresOf(it).counters).toMatchObject({ calls: 1_000, attempts: 1_200, retries: 200 })
  })

  it('B-70b retries deposit nothing: 25 calls at 20 % have 5', async () => {
    const it = retrying({ ceiling: 100, budget: { kind: 'ratio', share: 0.2, floorPerSecond: 0, windowMs: 60_000 } })
    for (let i = 0; i < 25; i++) watch(it.dependency.call(() => Promise.reject('x'), idempotent))
    await it.time.run(10_000)
    expect(figuresOf(it).counters.retries).toBe(5)
  })

  it('B-44a the floor lets a quiet caller retry', async () => {
    const it = retrying({ budget: { kind: 'ratio', share: 0.2, floorPerSecond: 1, windowMs: 1_000 } })
    const call = watch(it.dependency.call(flaky(it, 1).work, idempotent))
    await it.time.run(100)
    expect(call.value).toBe(2)
  })

  it('B-74d a local refusal costs no attempt, no token and no retry', async () => {
    const it = retrying({ ceiling: 1, budget: { kind: 'token-bucket', maxTokens: 4, ratio: 0.1 } })
    watch(it.dependency.call(lasting(it, 1_000, 1)))
    for (let i = 0; i < 100; i++) watch(it.dependency.call(() => 1, idempotent))
    await it.time.run(1_000)
    expect(figuresOf(it).counters).toEqual({ calls: 101, attempts: 1, completed: 1, 'shed ceiling-reached': 100 })
    expect(it.dependency.report().budgetLeft).toBe(1)
  })

  it('B-12b a share of 0 and no floor is no retry at all, not the default', async () => {
    const it = retrying({ budget: { kind: 'ratio', share: 0, floorPerSecond: 0, windowMs: 10_000 } })
    const call = watch(it.dependency.call(flaky(it, 1).work, idempotent))
    await it.time.run(1_000)
    expect(call.error).toBe('failure 1')
  })

  it('B-72c a dependency that no policy names has the default budget', () => {
    expect(new Dependency('unnamed', virtualRuntime()).report().budgetLeft).toBe(1)
  })

  it('B-66c 1,000 tokens, the most that there may be, are taken, and 1,001 refused', () => {
    const it = retrying()
    it.apply({ budget: { kind: 'token-bucket', maxTokens: 1_000, ratio: 0.1 } })
    expect(() => it.apply({ budget: { kind: 'token-bucket', maxTokens: 1_001, ratio: 0.1 } })).toThrow(
      'budget.maxTokens',
    )
  })

  it('B-73 a policy with NaN is refused with its path, and the old one stays', async () => {
    const it = retrying()
    expect(() => it.apply({ budget: { kind: 'token-bucket', maxTokens: Number.NaN, ratio: 0.1 } })).toThrow(
      'budget.maxTokens',
    )
    expect(() => it.apply({ budget: { kind: 'token-bucket', maxTokens: 1_001, ratio: 0.1 } })).toThrow(
      'budget.maxTokens',
    )
    expect(() => it.apply({ budget: { kind: 'ratio', share: -1, floorPerSecond: 0, windowMs: 500 } })).toThrow(
      'budget.windowMs',
    )
    it.apply({ budget: { kind: 'token-bucket', maxTokens: 1_000, ratio: 0.1 } })
    expect(await it.dependency.call(() => 1)).toBe(1)
  })
})

describe('one layer only', () => {
  it('B-74a B-74b three stacked services that retry send three attempts to the bottom, not 27', async () => {
    const layers = [retrying({ internal: true }), retrying({ internal: true }), retrying({ internal: true })]
    let bottom = 0
    const answer = watch(nested(layers, () => bottom++))
    for (let i = 0; i < 40; i++) for (const { time } of layers) await time.run(100)
    expect([answer.state, bottom]).toEqual(['rejected', 3])
  })

  it('where services hide that they retried, those below still see the attempt: 3 + 2 + 2, not 27', async () => {
    const layers = [retrying({ internal: true }), retrying({ internal: true }), retrying({ internal: true })]
    let bottom = 0
    const answer = watch(nested(layers, () => bottom++, true))
    for (let i = 0; i < 40; i++) for (const { time } of layers) await time.run(100)
    expect([answer.state, bottom]).toEqual(['rejected', 7])
  })

  it('work that an upper layer is retrying already is not retried here', async () => {
    const it = retrying()
    const call = watch(runInContext(contextOf({ attempt: 2 }), () => it.dependency.call(flaky(it, 9).work, idempotent)))
    await it.time.run(0)
    expect(call.error).toBe('failure 1')
  })

  it('an answer that says that a lower layer retried is not retried', async () => {
    const it = retrying({ internal: true })
    const answer = () => new Response(null, { status: 503, headers: { 'weir-retried': '2' } })
    const context = contextOf({})
    const response = await runInContext(context, () => it.dependency.call(answer, idempotent))
    expect([response.status, context.retried]).toEqual([503, 2])
    expect(figuresOf(it).counters.retries).toBeUndefined()
  })

  it('the inbound work learns how many retries were sent on its behalf', async () => {
    const it = retrying()
    const context = contextOf({})
    watch(runInContext(context, () => it.dependency.call(flaky(it, 9).work, idempotent)))
    await it.time.run(1_000)
    expect(context.retried).toBe(2)
  })

  it.each([
    {
      why: 'the budget is empty',
      change: { budget: { kind: 'token-bucket', maxTokens: 1, ratio: 0.1 } },
      verdict: FAILURE,
    },
    { why: 'the callee said stop', change: {}, verdict: refused('stop') },
    { why: 'its wait is too long', change: {}, verdict: refused('later', 99_999) },
    { why: 'it would fail again', change: {}, verdict: FINAL_FAILURE },
  ] as const)('that nobody should retry is told as a retry: $why', async ({ change, verdict }) => {
    const it = retrying(change)
    const context = contextOf({})
    const classify = () => verdict
    watch(runInContext(context, () => it.dependency.call(() => 0, { ...idempotent, classify })))
    await it.time.run(10)
    expect(context.retried).toBe(1)
  })

  it.each([
    { why: 'this layer was told not to', options: idempotent, change: { retry: { maxAttempts: 1 } } },
    { why: 'this layer cannot know whether it may', options: {}, change: {} },
  ])('a retry that is left to the layer above is not: $why', async ({ options, change }) => {
    const it = retrying(change)
    const context = contextOf({})
    watch(runInContext(context, () => it.dependency.call(flaky(it, 9).work, options)))
    await it.time.run(10)
    expect(context.retried).toBe(0)
  })

  it('B-74c stop means stop', async () => {
    const it = retrying()
    const call = watch(it.dependency.call(flaky(it, 9).work, { ...idempotent, classify: () => refused('stop') }))
    await it.time.run(0)
    expect(call.error).toBe('failure 1')
  })
})

describe('what the callee named, T9', () => {
  const waits = async (headers: Record<string, string>, classify?: () => Verdict) => {
    const it = retrying({ retry: { maxRetryAfterMs: 10_000 }, timeoutMs: 60_000, internal: true })
    const start = it.time.now()
    const sentAt: number[] = []
    const call = watch(
      it.dependency.call(
        () => {
          sentAt.push(it.time.now() - start)
          return new Response(null, { status: 503, headers })
        },
        { ...idempotent, classify },
      ),
    )
    await it.time.run(50_000)
    expect(call.state).toBe('resolved')
    return sentAt
  }

  it.each([
    { value: '0', sentAt: [0, 100, 200] },
    { value: '1', sentAt: [0, 1_100, 2_200] },
    { value: '-5', sentAt: [0, 100, 200] },
    { value: 'abc', sentAt: [0, 100, 200] },
    { value: '', sentAt: [0, 100, 200] },
    { value: '11', sentAt: [0] },
    { value: '99999999999', sentAt: [0] },
  ])('B-67 B-75c O-23 Retry-After "$value" sends at $sentAt', async ({ value, sentAt }) => {
    expect(await waits({ 'retry-after': value })).toEqual(sentAt)
  })

  it('a date is measured against the date of its own response', async () => {
    const date = 'Mon, 30 Nov 2026 07:00:00 GMT'
    expect(await waits({ 'retry-after': 'Mon, 30 Nov 2026 07:00:02 GMT', date })).toEqual([0, 2_100, 4_200])
    expect(await waits({ 'retry-after': 'Mon, 30 Nov 2026 06:00:00 GMT', date })).toEqual([0, 100, 200])
  })

  it('elsewhere means another replica now: our own backoff decides', async () => {
    expect(await waits({ 'retry-after': '5', 'weir-signal': 'elsewhere' })).toEqual([0, 100, 200])
    expect(await waits({ 'retry-after': '5', 'weir-signal': 'later' })).toEqual([0, 5_100, 10_200])
    expect(await waits({ 'retry-after': '5', 'weir-signal': 'stop' })).toEqual([0])
  })

  it('O-22 a pushback is kept to the millisecond and starts the backoff anew', async () => {
    expect(await waits({}, () => ({ ...FAILURE, waitMs: 370, exact: true }))).toEqual([0, 370, 740])
    expect(await waits({}, () => ({ ...FAILURE, waitMs: 0, exact: true }))).toEqual([0, 0, 0])
  })
})

/** Each layer is a service: its inbound context bears the attempt of the layer above; its failure says, or `hides`, how often it retried. */
const nested = (layers: readonly Rig[], bottom: () => void, hides = false): Promise<unknown> => {
  const [own, ...below] = layers
  if (own === undefined) {
    bottom()
    return Promise.reject({ retried: 0 })
  }
  const serve = async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
    const context = contextOf({ attempt: Number(headers['weir-attempt']) })
    await runInContext(context, () => nested(below, bottom, hides)).catch(() => {
      throw { retried: hides ? 0 : context.retried }
    })
  }
  return own.dependency.call(serve, {
    idempotent: true,
    classify: (end) => ({ ...FAILURE, retried: end.ok ? 0 : (end.error as { retried: number }).retried }),
  })
}
