import { expect, it } from 'vitest'
import { standingOf } from './known.ts'

it('a name is known as soon as one source has it, and unknown only when all have answered', () => {
  expect(standingOf('a', [undefined, ['a'], undefined])).toBe('known')
  expect(standingOf('a', [['b'], undefined])).toBe('asking')
  expect(standingOf('a', [['b'], []])).toBe('unknown')
})
