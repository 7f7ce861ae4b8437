import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { currentContext } from '../core/context.ts'
import type { Sample, SampleEnd, Sampler, SampleStart } from '../core/sampling.ts'
import { bench, type Figures, gatePolicy, permitOf, quota, settings } from './gate.testkit.ts'

const currentTrace = () => currentContext()?.traceparent

/** Samples all work, and keeps what it is told. */
class EverySample implements Sampler {
  readonly starts: SampleStart[] = []
  readonly ends: (SampleEnd & { readonly started: boolean })[] = []
  asked = 0

  next(): number {
    this.asked++
    return 3
  }

  begin(start: SampleStart): Sample {
    this.starts.push(start)
    let started = false
    let over = false
    return {
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
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
    gate.tryAcquire({ tenant: 't', criticality: 'critical', traceparent: 'tp' })
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
      },
      expect.objectContaining({ inFlight: 1, tenant: null, traceparent: null }),
    ])
    expect(sampler.ends).toEqual([{ outcome: 'shed', reason: 'limit-reached', signal: 'elsewhere', started: false }])
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
    expect(sampler.ends).toEqual([{ outcome: 'shed', reason: 'tenant-rate', signal: 'later', started: false }])
  })
})
