import { ROLES } from '@weir/api'
import { expect, test } from 'vitest'
import { mayAct, roleOf } from './identity.ts'

test('a role may do what the roles below it may, and nothing above', () => {
  const table = ROLES.map((role) => ROLES.map((needed) => mayAct(role, needed)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})

test('an unknown word in the database is the weakest role', () => {
  expect(roleOf('admin')).toBe('admin')
  expect(roleOf('owner')).toBe('viewer')
})
