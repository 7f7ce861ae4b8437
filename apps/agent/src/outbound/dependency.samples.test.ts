import { settled, virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import type { Sample, SampleEnd, Sampler, SampleStart } from '../core/sampling.ts'
import { Dependency } from './dependency.ts'
import { type PolicyChange, policyWith } from './rig.testkit.ts'

const made = (parts: PolicyChange = {}) => {
  const starts: SampleStart[] = []
  const ends: SampleEnd[] = []
  const sampler: Sampler = {
    next: () => 5,
    refusal: () => false,
    begin: (start): Sample => {
      starts.push(start)
      return { traceparent: '', decided: () => undefined, started: () => undefined, end: (end) => ends.push(end) }
    },
  }
  const runtime = virtualRuntime()
  const dependency = new Dependency('payments', runtime, sampler)
  dependency.apply({ policy: policyWith(parts), revision: 3 })
  return { dependency, runtime, starts, ends }
}
const never = () => new Promise<never>(() => undefined)

describe('a sampled call', () => {
  it('begins with the figures that decided about it, and whose work it is', async () => {
    const { dependency, starts, ends } = made({ ceiling: 9 })
    const context = {
      deadlineAt: Infinity,
      criticality: 'critical',
      tenant: 'acme',
      attempt: 1,
      signal: null,
      traceparent: 'of the gate',
      retried: 0,
    } as const
    await runInContext(context, () => dependency.call(() => 'paid'))
    expect(starts).toEqual([
      {
        kind: 'dependency',
        name: 'payments',
        adjustedCount: 5,
        mode: 'enforce',
        criticality: 'critical',
        tenant: 'acme',
        revision: 3,
        limit: 9,
        inFlight: 0,
        waiting: null,
        edge: false,
        traceparent: 'of the gate',
        route: null,
      },
    ])
    expect(ends).toEqual([{ outcome: 'completed', attempts: 1 }])
  })

  it('ends once, as the books say', async () => {
    const { dependency, runtime, ends } = made({ ceiling: 1, timeoutMs: 100 })
    await dependency.call(() => Promise.reject(new Error('no'))).catch(() => undefined)
    const leaving = new AbortController()
    leaving.abort()
    await dependency.call(never, { signal: leaving.signal }).catch(() => undefined)
    await dependency.call(never, { deadlineMs: 0 }).catch(() => undefined)
    const slow = dependency.call(never).catch(() => undefined)
    await dependency.call(never).catch(() => undefined)
    runtime.time.advance(100)
    await slow
    await settled()
    expect(ends).toEqual([
      { outcome: 'failed', attempts: 1 },
      { outcome: 'cancelled', attempts: 0 },
      { outcome: 'shed', reason: 'deadline-passed', signal: 'stop', attempts: 0 },
      { outcome: 'shed', reason: 'ceiling-reached', signal: 'later', attempts: 0 },
      { outcome: 'failed', attempts: 1 },
    ])
  })

  it('is none where nothing is counted', async () => {
    const { dependency, starts } = made({ mode: 'off' })
    await dependency.call(() => 'paid')
    expect(starts).toEqual([])
  })
})
