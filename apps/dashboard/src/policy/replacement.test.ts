import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replacement } from './replacement.ts'

describe('a change from the form', () => {
  it('touches only what differs, so that the cursor elsewhere stays', () => {
    expect(replacement('a: 10\nb: 2\n', 'a: 15\nb: 2\n')).toEqual({ from: 4, to: 5, insert: '5' })
    expect(replacement('same', 'same')).toBeNull()
  })

  it('always leads to the new text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const change = replacement(before, after)
        const result = change === null ? before : before.slice(0, change.from) + change.insert + before.slice(change.to)
        expect(result).toBe(after)
      }),
    )
  })
})
