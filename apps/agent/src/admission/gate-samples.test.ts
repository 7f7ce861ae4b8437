import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { currentContext } from '../core/context.ts'
import type { Sample, SampleEnd, SampleInputs, Sampler, SampleStart } from '../core/sampling.ts'
import { bench, type Figures, gatePolicy, permitOf, quota, settings } from './gate.testkit.ts'

const currentTrace = () => currentContext()?.traceparent

/** Samples all work, and keeps what it is told. */
class EverySample implements Sampler {
  readonly starts: SampleStart[] = []
  readonly ends: (SampleEnd & { readonly started: boolean })[] = []
  readonly inputs: SampleInputs[] = []
  asked = 0

  next(): number {
    this.asked++
    return 3
  }

  /** Work is sampled already. */
  refusal(): boolean {
    throw new Error('asked of a refusal that was sampled as work')
  }

  begin(start: SampleStart): Sample {
    this.starts.push(start)
    let started = false
    let over = false
    return {
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      decided: (inputs) => this.inputs.push(inputs),
      started: () => {
        started = true
      },
      end: (end) => {
        if (!over) this.ends.push({ ...end, started })
        over = true
      },
    }
  }
}

const made = (parts: Parameters<typeof gatePolicy>[0] = {}, quotas = {}) => {
  const sampler = new EverySample()
  return { sampler, ...bench(settings(gatePolicy(parts), { revision: 7, quotas }), { sampler }) }
}
const booked = (figures: Figures) =>
  Object.fromEntries(
    ['completed', 'late', 'failed', 'cancelled', 'shed', 'abandoned', 'expired', 'cancelled_waiting']
      .map((name) => [name, figures.sum(name)])
      .filter(([, count]) => count !== 0),
  )
const told = (sampler: EverySample) => {
  const counts: Record<string, number> = {}
  for (const { outcome } of sampler.ends) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

describe('a sampled piece of work', () => {
  it('begins with the figures that decided about it', () => {
    const { gate, sampler } = made({ limit: 1, edge: true })
    gate.tryAcquire({ tenant: 't', criticality: 'critical', traceparent: 'tp', route: '/pay' })
    gate.tryAcquire({})
    expect(sampler.starts).toEqual([
      {
        kind: 'gate',
        name: 'gate',
        adjustedCount: 3,
        mode: 'enforce',
        criticality: 'critical',
        tenant: 't',
        revision: 7,
        limit: 1,
        inFlight: 0,
        waiting: 0,
        edge: true,
        traceparent: 'tp',
        route: '/pay',
      },
      expect.objectContaining({ inFlight: 1, tenant: null, traceparent: null }),
    ])
    expect(sampler.ends).toEqual([
      {
        outcome: 'shed',
        reason: 'limit-reached',
        signal: 'elsewhere',
        retryAfterMs: expect.any(Number),
        started: false,
      },
    ])
  })

  it('ends as the books say, whatever becomes of it', async () => {
    const { gate, sampler, runtime, figures } = made({ limit: 2, maxHoldMs: 10_000, queue: { maxWaitMs: 500 } })
    permitOf(gate.tryAcquire({})).success()
    permitOf(gate.tryAcquire({})).failure()
    permitOf(gate.tryAcquire({})).dropped()
    permitOf(gate.tryAcquire({})).ignored()
    const slow = permitOf(gate.tryAcquire({ deadlineMs: 50 }))
    runtime.time.advance(50)
    slow.success()
    gate.tryAcquire({ deadlineMs: 0 })
    const left = permitOf(gate.tryAcquire({}))
    left.cancel()
    left.ignored()
    gate.tryAcquire({})
    gate.tryAcquire({})
    const caller = new AbortController()
    const waiting = [gate.acquire({ signal: caller.signal }), gate.acquire({})]
    caller.abort()
    runtime.time.advance(500)
    await Promise.all(waiting)
    runtime.time.advance(10_000)
    expect(told(sampler)).toEqual(booked(figures()))
    expect(told(sampler)).toEqual({
      completed: 2,
      failed: 2,
      late: 1,
      expired: 1,
      cancelled: 1,
      cancelled_waiting: 1,
      shed: 1,
      abandoned: 2,
    })
  })

  it('that waited is told once it starts', async () => {
    const { gate, sampler } = made({ limit: 1, queue: { maxWaitMs: 500 } })
    const holder = permitOf(gate.tryAcquire({}))
    const waiting = gate.run({}, () => 'done')
    holder.success()
    expect(await waiting).toBe('done')
    expect(sampler.ends).toEqual([
      { outcome: 'completed', started: true },
      { outcome: 'completed', started: true },
    ])
  })

  it('hands its own trace on to what it asks for', () => {
    const { gate } = made()
    const work = { traceparent: 'of the request' }
    const entry = permitOf(gate.tryAcquire(work))
    expect(gate.within(work, entry, currentTrace)).toBe(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)
    const plain = bench(settings(gatePolicy())).gate
    expect(plain.within(work, permitOf(plain.tryAcquire(work)), currentTrace)).toBe('of the request')
  })

  it('is none where nothing is counted: a gate that is off, work that holds the gate already', async () => {
    const off = made({ mode: 'off' })
    permitOf(off.gate.tryAcquire({})).success()
    expect(off.sampler.asked).toBe(0)
    const { gate, sampler, figures } = made()
    await gate.run({}, () => gate.run({}, () => settled()))
    expect([sampler.asked, figures().sum('offered')]).toEqual([1, 1])
  })

  it('is refused for its tenant with the reason and the signal', () => {
    const { gate, sampler } = made({}, { t: quota({ rate: 0 }) })
    gate.tryAcquire({ tenant: 't' })
    expect(sampler.ends).toMatchObject([{ outcome: 'shed', reason: 'tenant-rate', signal: 'later', started: false }])
    expect(sampler.inputs).toMatchObject([{ tenantTokens: 0, cost: 1 }])
  })
})

/** Samples no work; tells of every refusal. */
class EveryRefusal extends EverySample {
  override next(): number {
    return 0
  }

  override refusal(): boolean {
    return true
  }
}

describe('a refusal that is not sampled as work', () => {
  it('is told for its reasons, stands for none, and is booked once', () => {
    const sampler = new EveryRefusal()
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 }), { revision: 7 }), { sampler })
    permitOf(gate.tryAcquire({ criticality: 'critical' }))
    gate.level = 2
    gate.delayMs = 8
    expect(gate.tryAcquire({ criticality: 'sheddable', tenant: 't', route: '/pay', deadlineMs: 300 }).accepted).toBe(
      false,
    )
    expect(sampler.starts).toMatchObject([
      { adjustedCount: 0, criticality: 'sheddable', tenant: 't', route: '/pay', limit: 1, inFlight: 1, waiting: 0 },
    ])
    expect(sampler.inputs).toMatchObject([{ level: 2, delayMs: 8, remainingMs: 300, classUsed: 0, tenantHeld: 0 }])
    expect(sampler.ends).toMatchObject([{ outcome: 'shed', reason: 'class-shed', started: false }])
    expect(figures().sum('shed')).toBe(1)
  })

  it('is not told where it was deferred instead, or where nothing is enforced', async () => {
    const sampler = new EveryRefusal()
    const { gate } = bench(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 0 } })), { sampler })
    gate.deferTo({ enqueue: async () => undefined })
    permitOf(gate.tryAcquire({}))
    expect(await gate.acquireOrDefer({}, { payload: {} })).toMatchObject({ deferred: true })
    const observing = bench(settings(gatePolicy({ limit: 1, mode: 'observe' })), { sampler }).gate
    for (let i = 0; i < 3; i++) observing.tryAcquire({})
    expect(sampler.starts).toEqual([])
  })
})
