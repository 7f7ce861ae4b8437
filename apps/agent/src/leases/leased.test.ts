import { DEFAULT_TENANTS, type Quota } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { Leased } from './leased.ts'

const quota = (parts: Partial<Quota>): Quota => ({ rate: null, burst: null, concurrency: null, weight: 1, ...parts })

describe('slots that come to be leased while work runs', () => {
  it('count what runs as taken from the start: it is told with the first question', () => {
    const obeying = { bucket: null, concurrency: null as number | null, held: 3 }
    const leased = new Leased('front', 'acme', obeying, { refreshMs: 2_000, add: () => {}, remove: () => {} })
    leased.obey(quota({ concurrency: 10 }), DEFAULT_TENANTS, 0)
    const [slots] = leased.drawn()
    expect([slots?.demand.taken, obeying.concurrency]).toEqual([3, 0])
    leased.ended()
    expect(slots?.demand.taken).toBe(2)
  })
})
