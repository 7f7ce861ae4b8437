import { ROLES } from '@weir/api'
import { expect, test } from 'vitest'
import { mayAct } from './identity.ts'

test('a role may do what the roles below it may, and nothing above', () => {
  const table = ROLES.map((role) => ROLES.map((needed) => mayAct(role, needed)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
