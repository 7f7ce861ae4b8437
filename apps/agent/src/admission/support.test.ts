import { describe, expect, it } from 'vitest'
import { gatePolicy } from './gate.testkit.ts'
import { unsupported } from './support.ts'

describe('what this agent cannot do', () => {
  it('is nothing of a default policy', () => {
    expect(unsupported(gatePolicy())).toEqual([])
  })

  it('is said item by item, with a path', () => {
    const policy = {
      ...gatePolicy({
        queue: { order: 'adaptive' },
        classes: {
          reserves: { 'critical-plus': 0.1, critical: 0, 'sheddable-plus': 0, sheddable: 0 },
          topShareCap: 0.5,
        },
      }),
      signals: { heapShare: { open: 0.9, close: 0.8 } },
    }
    expect(unsupported(policy).map(({ path }) => path)).toEqual([
      'queue.order',
      'classes.reserves',
      'classes.topShareCap',
      'signals',
    ])
  })
})
