import { describe, expect, it } from 'vitest'
import { draftOf, quotaOf } from './quota-form.ts'

describe('the form of a quota', () => {
  it('takes an empty field for no limit and 0 for a limit', () => {
    expect(quotaOf({ rate: '', burst: '', concurrency: 0, weight: 2 })).toEqual({
      rate: null,
      burst: null,
      concurrency: 0,
      weight: 2,
    })
  })

  it('leaves out a burst without a rate, and weighs 1 where nothing is said', () => {
    expect(quotaOf({ rate: '', burst: 5, concurrency: '', weight: '' })).toMatchObject({ burst: null, weight: 1 })
    expect(draftOf(null).weight).toBe(1)
  })
})
