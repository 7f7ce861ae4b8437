import { describe, expect, it } from 'vitest'
import { gatePolicy } from './gate.testkit.ts'
import { unsupported } from './support.ts'

describe('what this agent cannot do', () => {
  it('is nothing of a default policy', () => {
    expect(unsupported(gatePolicy())).toEqual([])
  })

  it('is said item by item, with a path', () => {
    const policy = gatePolicy({ classes: { topShareCap: 0.5 } })
    expect(unsupported(policy).map(({ path }) => path)).toEqual(['classes.topShareCap'])
  })
})
