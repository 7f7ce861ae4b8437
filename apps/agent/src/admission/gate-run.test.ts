import { AsyncLocalStorage } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { currentContext, runInContext } from '../core/context.ts'
import { bench, gatePolicy, permitOf, said, settings } from './gate.testkit.ts'
import { RefusedError } from './refused.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('run', () => {
  it('ends well with a value, badly with a throw, and passes both on', async () => {
    const { gate, figures } = bench(settings(gatePolicy()))
    expect(await gate.run({}, () => 42)).toBe(42)
    await expect(gate.run({}, () => Promise.reject(new Error('handler')))).rejects.toThrow('handler')
    await expect(
      gate.run({}, () => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
    expect([figures().sum('completed'), figures().sum('failed'), gate.report().active]).toEqual([1, 2, 0])
  })

  /** Work that begins when it is first waited for, as a query builder's does. */
  const lazily = (work: () => Promise<unknown>) => {
    const then: PromiseLike<unknown>['then'] = (...args) => work().then(...args)
    return { plain: { then }, callable: Object.assign(() => 0, { then }) }
  }

  it.each([
    ['plain', undefined],
    ['callable', undefined],
    ['plain', new AbortController().signal],
    ['callable', new AbortController().signal],
  ] as const)(
    'a %s thenable holds the slot until it has settled, and runs as part of the work',
    async (kind, signal) => {
      const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 1 })))
      const tenants: unknown[] = []
      const answer = gate.run(
        { tenant: 'acme', signal },
        () =>
          lazily(async () => {
            tenants.push(currentContext()?.tenant)
            await new Promise<void>((resolve) => runtime.timers.set(resolve, 10))
            return gate.report().active
          })[kind],
      )
      await runtime.time.run(10)
      expect([await answer, tenants, figures().sum('completed'), gate.report().active]).toEqual([1, ['acme'], 1, 0])
      expect(currentContext()).toBeUndefined()
    },
  )

  it('an answer that cannot be looked at ends its work badly, and gives its slot back', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const hostile = new Proxy(
      {},
      {
        has: () => {
          throw new Error('no look')
        },
      },
    )
    await expect(gate.run({}, () => hostile)).rejects.toThrow('no look')
    expect([figures().sum('failed'), gate.report().active]).toEqual([1, 0])
  })

  it('work that begins work at another gate before it ends is let go, however many follow it', async () => {
    const gates = [1, 2].map(() => bench(settings(gatePolicy())).gate)
    const begun: WeakRef<object>[] = []
    const retried = await new Promise<number | undefined>((resolve, reject) => {
      const hop = (n: number): unknown =>
        gates[n % 2]
          ?.run({}, async () => {
            await settled()
            const context = currentContext()
            if (context && n % 100 === 0) begun.push(new WeakRef(context))
            if (n < 20_000) return void hop(n + 1)
            if (context) context.retried++
            collectGarbage()
            resolve(context?.retried)
          })
          .catch(reject)
      hop(0)
    })
    expect(retried).toBe(1)
    expect(begun.filter((context) => context.deref()).length).toBeLessThan(20)
  }, 30_000)

  it('B-58 refused work does not run', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 0 } })))
    gate.tryAcquire({})
    let ran = 0
    const refused = await gate.run({}, () => ran++).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RefusedError)
    expect((refused as RefusedError).refusal).toMatchObject({ reason: 'limit-reached', signal: 'elsewhere' })
    expect((refused as RefusedError).stack?.split('\n')).toHaveLength(1)
    expect(ran).toBe(0)
  })

  it('B-52 a job that waited sees its own context, not that of the work before it', async () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 1 })))
    const store = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const job = (name: string) =>
      store.run(name, () =>
        gate.run({}, async () => {
          seen.push(store.getStore())
          await new Promise<void>((resolve) => runtime.timers.set(resolve, 10))
          seen.push(store.getStore())
        }),
      )
    const jobs = ['a', 'b', 'c'].map(job)
    await runtime.time.run(100)
    await Promise.all(jobs)
    expect(seen).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  })

  it('B-79a a timer set for a request does not keep its context', async () => {
    const { gate, runtime } = bench(settings(gatePolicy()))
    const store = new AsyncLocalStorage<string>()
    const set = runtime.time.set.bind(runtime.time)
    const seen: (string | undefined)[] = []
    runtime.time.set = (callback, delayMs) => {
      seen.push(store.getStore())
      return set(callback, delayMs)
    }
    store.run('request', () => gate.tryAcquire({}))
    expect(seen).toEqual([undefined])
  })

  it('calls made inside find whose work they are; the shorter deadline wins, retries add up outside', async () => {
    const { gate, runtime } = bench(settings(gatePolicy()))
    const outside = { deadlineAt: 40, criticality: null, tenant: 'x', attempt: 3, signal: null, retried: 0 }
    await runInContext(outside, () =>
      gate.run({ criticality: 'critical', deadlineMs: 500 }, (work) => {
        const inside = currentContext()
        expect(inside).toMatchObject({ deadlineAt: 40, criticality: 'critical', tenant: 'x', attempt: 3 })
        expect(inside?.signal).toBe(work.signal)
        if (inside) inside.retried += 2
      }),
    )
    expect(outside.retried).toBe(2)
    await gate.run({ tenant: 'y', attempt: 2, deadlineMs: 500 }, () => {
      expect(currentContext()).toMatchObject({
        deadlineAt: runtime.clock.now() + 500,
        tenant: 'y',
        attempt: 2,
        retried: 0,
      })
    })
  })

  it('B-46 O-06 O-17 a caller that leaves fires the signal and books cancelled; the slot stays a zombie until the handler ends', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const caller = new AbortController()
    let end = () => {}
    let aborted = false
    const run = gate.run({ signal: caller.signal }, (context) => {
      context.signal.addEventListener('abort', () => {
        aborted = true
      })
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    await settled()
    caller.abort()
    expect(aborted).toBe(true)
    expect(gate.report()).toMatchObject({ active: 0, zombies: 1 })
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
    end()
    await run
    expect(gate.report()).toMatchObject({ active: 0, zombies: 0 })
    expect([figures().sum('cancelled'), figures().sum('completed')]).toEqual([1, 0])
    expect(gate.mishaps.endedTwice).toBe(0)
  })

  it('a caller that left before it came, or while it waited, or just as it started, gets its own reason and nothing runs', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    let ran = 0
    const attempt = (signal: AbortSignal) => gate.run({ signal }, () => ran++).catch((error: unknown) => error)
    expect(await attempt(AbortSignal.abort('before'))).toBe('before')

    const holder = permitOf(gate.tryAcquire({}))
    const waiting = new AbortController()
    const left = attempt(waiting.signal)
    waiting.abort('waiting')
    expect(await left).toBe('waiting')
    expect(figures().gauge('waiting')).toBe(0)

    const starting = new AbortController()
    const handed = attempt(starting.signal)
    holder.success()
    starting.abort('starting')
    expect(await handed).toBe('starting')
    expect(ran).toBe(0)
    expect([figures().sum('cancelled_waiting'), figures().sum('cancelled'), gate.report().zombies]).toEqual([2, 1, 0])
  })

  it('B-44c B-64 no timer and no listener is left behind', async () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 3, queue: { maxItems: 100 } })))
    const { signal } = new AbortController()
    const jobs = Array.from({ length: 50 }, () => gate.run({ signal, deadlineMs: 1_000 }, () => settled()))
    await Promise.all(jobs)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    gate.close()
    expect(runtime.time.pending).toBe(0)
  })
})

describe('permits that do not end', () => {
  it('a permit that the host forgot is freed as abandoned, with a warning that names gate and route', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 2, maxHoldMs: 1_000 })))
    const forgotten = permitOf(gate.tryAcquire({ route: '/pay' }))
    runtime.time.advance(999)
    permitOf(gate.tryAcquire({}))
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
    runtime.time.advance(1)
    expect(gate.report()).toMatchObject({ active: 1 })
    expect(String(runtime.errors[0]?.error)).toMatch(/gate gate, route \/pay, was not ended within 1000 ms/)
    forgotten.success()
    expect([figures().sum('abandoned'), figures().sum('completed'), gate.mishaps.endedTwice]).toEqual([1, 0, 1])
    expect([forgotten.live, forgotten.remainingMs]).toEqual([false, 0])
  })

  it('a zombie is given up after zombieMaxMs, not before', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 1, maxHoldMs: 500, zombieMaxMs: 1_000 })))
    const permit = permitOf(gate.tryAcquire({}))
    runtime.time.advance(400)
    permit.cancel()
    permit.cancel()
    runtime.time.advance(999)
    expect([gate.report().zombies, said(gate.tryAcquire({}))]).toEqual([1, 'limit-reached'])
    runtime.time.advance(1)
    expect([gate.report().zombies, gate.mishaps.lost, figures().sum('cancelled')]).toEqual([0, 1, 1])
    expect(figures().sum('abandoned')).toBe(0)
  })

  it('a zombie is given up in time also where permits may be held for much longer', () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 1, maxHoldMs: 300_000, zombieMaxMs: 1_000 })))
    permitOf(gate.tryAcquire({})).cancel()
    runtime.time.advance(1_000)
    expect([gate.report().zombies, gate.mishaps.lost]).toEqual([0, 1])
  })

  it('each of several is freed when its own time is over, running or left by its caller', () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 9, maxHoldMs: 1_000, zombieMaxMs: 400 })))
    const inUse: number[] = []
    const starts = [0, 300, 1_100, 1_200].map((ms) => ms + runtime.clock.now())
    for (let ms = 0; ms < 2_300; ms += 100) {
      if (starts.includes(runtime.clock.now())) gate.tryAcquire({})
      if (ms === 300 || ms === 1_500) permitOf(gate.tryAcquire({})).cancel()
      inUse.push(gate.report().active * 10 + gate.report().zombies)
      runtime.time.advance(100)
    }
    // Each a tenth of a second after the last: running x 10 + zombies.
    expect(inUse).toEqual([10, 10, 10, 21, 21, 21, 21, 20, 20, 20, 10, 20, 30, 20, 20, 21, 21, 21, 21, 20, 20, 10, 0])
  })

  it('B-10 B-11 an idle gate has no timer, and one timer serves all permits', () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 1_000 })))
    expect(runtime.time.pending).toBe(0)
    for (let i = 0; i < 1_000; i++) {
      permitOf(gate.tryAcquire({}))
      runtime.time.advance(1)
    }
    expect(runtime.time.pending).toBe(1)
  })
})
