import { settled } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, quota, settings } from './gate.testkit.ts'
import type { DeferOptions, DeferPort, Deferred, DeferredWork, Entry, Permit, Work } from './gate.ts'

/** A durable queue in the tests' hands: what it was given stays open until it is acknowledged or failed. */
class Outbox implements DeferPort {
  readonly open: { work: DeferredWork; ack: () => void; fail: (error: Error) => void; signal: AbortSignal }[] = []
  readonly durable: DeferredWork[] = []

  enqueue(work: DeferredWork, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const ack = () => {
        this.durable.push(work)
        resolve()
      }
      this.open.push({ work, ack, fail: reject, signal })
    })
  }
}

const word = (entry: Entry | Deferred): string => {
  if ('deferred' in entry) return 'deferred'
  return entry.accepted ? 'accepted' : entry.reason
}

const deferring = (parts: Parameters<typeof gatePolicy>[0] = {}, options: DeferOptions = {}, rest = {}) => {
  const made = bench(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 0 }, ...parts }), rest))
  const outbox = new Outbox()
  made.gate.deferTo(outbox, options)
  const answers: string[] = []
  const ask = (work: Work = {}, payload: unknown = null) => {
    void made.gate.acquireOrDefer(work, { payload }).then((entry) => answers.push(word(entry)))
  }
  return { ...made, outbox, answers, ask }
}

describe('deferred work', () => {
  it('G10 is acknowledged once it is durable, and not before', async () => {
    const { gate, outbox, answers, ask, figures } = deferring()
    permitOf(gate.tryAcquire({}))
    ask({ tenant: 'acme', criticality: 'critical' }, { order: 1 })
    await settled()
    expect(answers).toEqual([])
    expect(figures().gauge('deferring')).toBe(1)
    expect(outbox.open[0]?.work).toEqual({
      gate: 'gate',
      id: null,
      payload: { order: 1 },
      tenant: 'acme',
      criticality: 'critical',
      reason: 'limit-reached',
    })
    outbox.open[0]?.ack()
    await settled()
    expect(answers).toEqual(['deferred'])
    const seen = figures()
    expect([seen.sum('offered'), seen.sum('deferred'), seen.sum('shed'), seen.gauge('deferring')]).toEqual([2, 1, 0, 0])
  })

  it('is shed as defer-failed where the queue fails, throws, or does not answer in time', async () => {
    const { gate, runtime, outbox, answers, ask, figures } = deferring({}, { withinMs: 1_000 })
    permitOf(gate.tryAcquire({}))
    ask()
    ask()
    await settled()
    outbox.open[0]?.fail(new Error('disk full'))
    await runtime.time.run(1_000)
    expect(answers).toEqual(['defer-failed', 'defer-failed'])
    expect(outbox.open[1]?.signal.aborted).toBe(true)
    gate.deferTo({
      enqueue: () => {
        throw new Error('down')
      },
    })
    ask()
    await settled()
    expect(answers).toHaveLength(3)
    expect(figures().sum('shed', { reason: 'defer-failed' })).toBe(3)
    outbox.open[1]?.ack()
    await settled()
    expect(figures().sum('deferred')).toBe(0)
  })

  it('is bounded: past the bound work is shed for what it is short of', async () => {
    const { gate, answers, ask } = deferring({}, { maxDeferring: 2 })
    permitOf(gate.tryAcquire({}))
    for (let i = 0; i < 3; i++) ask()
    await settled()
    expect(answers).toEqual(['limit-reached'])
  })

  it.each([
    [{ maxDeferring: Number.NaN }, 100],
    [{ maxDeferring: -1 }, 100],
    [{ maxDeferring: 0 }, 0],
    [{ maxDeferring: Number.POSITIVE_INFINITY }, 10_000],
  ])('with %j defers at most %i at a time', async (options, most) => {
    const { gate, outbox, ask } = deferring({}, options)
    permitOf(gate.tryAcquire({}))
    for (let i = 0; i <= most; i++) ask()
    await settled()
    expect(outbox.open).toHaveLength(most)
    gate.close()
  })

  it.each([
    [Number.NaN, 2_000],
    [-5, 2_000],
    [2 ** 40, 3_600_000],
  ])('withinMs %s waits for %i ms', async (withinMs, waited) => {
    const { gate, runtime, answers, ask } = deferring({}, { withinMs })
    permitOf(gate.tryAcquire({}))
    ask()
    await runtime.time.run(waited - 1)
    expect(answers).toEqual([])
    await runtime.time.run(1)
    expect(answers).toEqual(['defer-failed'])
  })

  it('is only what there is no room for: not what is past its share, its deadline, or a process that ends', async () => {
    const { gate, outbox, answers, ask } = deferring({}, {}, { quotas: { t: quota({ concurrency: 0 }) } })
    ask({ tenant: 't' })
    ask({ deadlineMs: 0 })
    ask()
    gate.drain()
    ask()
    await settled()
    expect(answers).toEqual(['tenant-concurrency', 'expired-on-arrival', 'accepted', 'draining'])
    expect(outbox.open).toHaveLength(0)
  })

  it('waits first; what waited too long, was displaced or is shed for its class is deferred', async () => {
    const { gate, runtime, outbox, answers, ask, figures } = deferring({ queue: { maxWaitMs: 100, maxItems: 1 } })
    permitOf(gate.tryAcquire({}))
    ask({ criticality: 'sheddable' }, 'displaced')
    ask({ criticality: 'critical' }, 'too long')
    gate.level = 1
    ask({ criticality: 'sheddable' }, 'shed')
    await runtime.time.run(100)
    expect(outbox.open.map(({ work }) => [work.payload, work.reason])).toEqual([
      ['displaced', 'queue-full'],
      ['shed', 'class-shed'],
      ['too long', 'queue-timeout'],
    ])
    for (const { ack } of outbox.open) ack()
    await settled()
    expect(answers).toEqual(['deferred', 'deferred', 'deferred'])
    expect([figures().sum('deferred'), figures().sum('shed'), gate.report().waiting]).toEqual([3, 0, 0])
  })

  it('without a port it is refused as ever, and observing it is accepted', async () => {
    const { gate, answers, ask } = deferring()
    gate.deferTo(null)
    permitOf(gate.tryAcquire({}))
    ask()
    await settled()
    expect(answers).toEqual(['limit-reached'])
    const observing = deferring({ mode: 'observe' })
    permitOf(observing.gate.tryAcquire({}))
    observing.ask()
    await settled()
    expect(observing.answers).toEqual(['accepted'])
  })

  it('makes its job once it is wanted, and hands the id of that to queue and caller', async () => {
    const { gate, outbox } = deferring()
    let made = 0
    const make = async () => {
      made++
      return { payload: 'late', id: 'order-1' }
    }
    const holder = permitOf((await gate.acquireOrDefer({}, make)) as Entry)
    expect(made).toBe(0)
    const answer = gate.acquireOrDefer({}, make)
    await settled()
    outbox.open[0]?.ack()
    expect(await answer).toEqual({ accepted: false, deferred: true, gate: 'gate', id: 'order-1', revision: 1 })
    expect([made, outbox.durable[0]?.id, outbox.durable[0]?.payload]).toEqual([1, 'order-1', 'late'])
    holder.success()
  })

  it('is refused as ever where its host makes no job of it, and shed as defer-failed where that fails or takes too long', async () => {
    const { gate, runtime, outbox, figures } = deferring({}, { withinMs: 100 })
    permitOf(gate.tryAcquire({}))
    const answers = [
      gate.acquireOrDefer({}, () => null),
      gate.acquireOrDefer({}, async () => undefined),
      gate.acquireOrDefer({}, () => Promise.reject(new Error('no body'))),
      gate.acquireOrDefer(
        {},
        (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ payload: 1 }))),
      ),
    ]
    await runtime.time.run(100)
    expect((await Promise.all(answers)).map(word)).toEqual([
      'limit-reached',
      'limit-reached',
      'defer-failed',
      'defer-failed',
    ])
    expect(outbox.open).toHaveLength(0)
    expect(figures().sum('shed', { reason: 'limit-reached' })).toBe(2)
    expect(gate.report().active).toBe(1)
  })

  it('tells of a queue that is away once a second, however often it fails', async () => {
    const { gate, runtime } = deferring()
    permitOf(gate.tryAcquire({}))
    gate.deferTo({ enqueue: () => Promise.reject(new Error('away')) })
    for (let i = 0; i < 30; i++) {
      for (let n = 0; n < 10; n++) void gate.acquireOrDefer({}, { payload: null })
      await runtime.time.run(100)
    }
    expect(runtime.errors).toHaveLength(3)
  })

  it('a gate that closes tells the queue to stop, and leaves no timer', async () => {
    const { gate, runtime, outbox, answers, ask } = deferring()
    const holder = permitOf(gate.tryAcquire({}))
    ask()
    await settled()
    holder.success()
    gate.close()
    await settled()
    expect([answers, outbox.open[0]?.signal.aborted, runtime.time.pending]).toEqual([['defer-failed'], true, 0])
  })

  it('a gate that closes in the step that decided to defer asks no queue, and leaves no timer', async () => {
    const { gate, runtime, outbox, answers, ask, figures } = deferring()
    const holder = permitOf(gate.tryAcquire({}))
    ask()
    gate.close()
    holder.success()
    await settled()
    expect([answers, outbox.open, runtime.time.pending]).toEqual([['defer-failed'], [], 0])
    expect([figures().sum('shed'), figures().gauge('deferring')]).toEqual([1, 0])
  })

  it('is kept for the tenant that it names, also where that shares an account with others', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 0 } })), { maxTenants: 1 })
    const outbox = new Outbox()
    gate.deferTo(outbox)
    permitOf(gate.tryAcquire({ tenant: 'first' }))
    const named = ['first', 'second', 'third\u0000', undefined]
    for (const tenant of named) void gate.acquireOrDefer({ tenant }, { payload: null, id: '1' })
    await settled()
    const kept = outbox.open.map(({ work }) => `${work.tenant} ${work.id}`)
    expect(kept).toEqual(['first 1', 'second 1', 'other null', ' 1'])
    gate.close()
  })

  it('in every interleaving the books add up, and exactly what was acknowledged was deferred', async () => {
    const step = fc.record({ do: fc.constantFrom('ask', 'ask', 'ask', 'end', 'ack', 'fail', 'pass'), n: fc.nat(1_000) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { gate, runtime, outbox, figures } = deferring(
          { limit: 2, queue: { maxWaitMs: 30, maxItems: 2 } },
          { maxDeferring: 3, withinMs: 80 },
        )
        const running: Permit[] = []
        let told = 0
        const balance = () => {
          const seen = figures()
          const { active, waiting } = gate.report()
          const left = seen.sum('accepted') + seen.sum('deferred') + seen.sum('shed') + seen.sum('expired')
          expect(seen.sum('offered')).toBe(left + waiting + seen.gauge('deferring'))
          expect(seen.gauge('deferring')).toBeLessThanOrEqual(3)
          expect(seen.sum('accepted')).toBe(seen.sum('completed') + seen.sum('late') + active)
          expect(seen.sum('deferred')).toBe(told)
        }
        for (const { do: what, n } of steps) {
          if (what === 'ask')
            void gate.acquireOrDefer({ tenant: `t${n % 3}`, deadlineMs: 20 + n }, { payload: n }).then((entry) => {
              if ('deferred' in entry) told++
              else if (entry.accepted) running.push(entry)
            })
          else if (what === 'end') running.splice(n % Math.max(1, running.length), 1)[0]?.success()
          else if (what === 'pass') runtime.time.advance(n % 40)
          else {
            const [item] = outbox.open.splice(n % Math.max(1, outbox.open.length), 1)
            if (what === 'ack') item?.ack()
            else item?.fail(new Error('lost'))
          }
          await settled()
          balance()
        }
        gate.close()
        for (const permit of running) permit.success()
        await settled()
        balance()
        expect(gate.mishaps.faults).toBe(0)
      }),
      { numRuns: 500 },
    )
  }, 60_000)
})
