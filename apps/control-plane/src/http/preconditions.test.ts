import { expect, test } from 'vitest'
import { checkExpected } from '../features/expected.ts'
import { readExpected } from './preconditions.ts'
import { ProblemError } from './problem.ts'

const codeOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (error instanceof ProblemError) return error.refusal.code
  }
  return 'none'
}

test('a write says what it saw: tags, anything, or nothing', () => {
  expect(readExpected('"policy-1"', undefined)).toEqual({ kind: 'one-of', tags: ['"policy-1"'] })
  expect(readExpected('"a", "b"', undefined)).toEqual({ kind: 'one-of', tags: ['"a"', '"b"'] })
  expect(readExpected('*', undefined)).toEqual({ kind: 'present' })
  expect(readExpected(undefined, '*')).toEqual({ kind: 'absent' })
})

test('a weak tag never matches a write', () => {
  expect(readExpected('W/"policy-1"', undefined)).toEqual({ kind: 'one-of', tags: [] })
})

test('without a precondition it is 428, with nonsense 400', () => {
  expect(codeOf(() => readExpected(undefined, undefined))).toBe('precondition-required')
  expect(codeOf(() => readExpected(undefined, '"a"'))).toBe('precondition-required')
  for (const nonsense of ['policy-1', '"a" "b"', '"a', ''])
    expect(codeOf(() => readExpected(nonsense, undefined))).toBe('invalid')
})

test('a lost race names the present tag', () => {
  const lost = checkExpected({ kind: 'one-of', tags: ['"policy-1"'] }, '"policy-2"', 'The policy')
  expect(lost).toMatchObject({ ok: false, refusal: { code: 'precondition-failed', etag: '"policy-2"' } })
})

test('the present state decides what holds', () => {
  const holds = (kind: 'present' | 'absent', present: string | null) => checkExpected({ kind }, present, 'It').ok
  expect([holds('absent', null), holds('absent', '"a"'), holds('present', '"a"'), holds('present', null)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(checkExpected({ kind: 'one-of', tags: ['"a"'] }, null, 'It').ok).toBe(false)
})
