import { expect, test } from 'vitest'
import { leavesNoAdmin } from './operators.ts'

test('the last admin is neither demoted nor removed; any other may be', () => {
  expect(leavesNoAdmin(1, 'admin', 'editor')).toBe(true)
  expect(leavesNoAdmin(1, 'admin', null)).toBe(true)
  expect(leavesNoAdmin(1, 'admin', 'admin')).toBe(false)
  expect(leavesNoAdmin(2, 'admin', null)).toBe(false)
  expect(leavesNoAdmin(1, 'editor', null)).toBe(false)
})
