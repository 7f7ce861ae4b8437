import { describe, expect, it } from 'vitest'
import type { LastReceipt } from './agent-record.ts'
import { statusOf } from './agent-row.ts'

const identity = (revision: number, databaseId = 'db-1', hash = `h${revision}`) => ({ databaseId, revision, hash })
const receipt = (revision: number, status: LastReceipt['status'], hash?: string): LastReceipt => ({
  ...identity(revision, 'db-1', hash),
  status,
  refused: [],
})

describe('the status of an agent', () => {
  it.each([
    ['none while nothing is published', null, null, null, 'none'],
    ['pending before its receipt', identity(4), null, identity(5), 'pending'],
    ['pending with a receipt for an earlier revision', identity(4), receipt(4, 'applied'), identity(5), 'pending'],
    ['applied by its receipt', identity(5), receipt(5, 'applied'), identity(5), 'applied'],
    ['applied by its hello', identity(5), null, identity(5), 'applied'],
    ['partly, though it runs on that revision', identity(5), receipt(5, 'partly'), identity(5), 'partly'],
    ['refused while the earlier one stays in force', identity(4), receipt(5, 'refused'), identity(5), 'refused'],
    ['pending where the hash received is another', identity(4), receipt(5, 'applied', 'x'), identity(5), 'pending'],
    ['ahead of a restored database', identity(9), receipt(9, 'applied'), identity(5), 'ahead'],
    ['ahead of a restored database without policies', identity(9), null, null, 'ahead'],
    ['pending with a higher revision of another database', identity(9, 'db-0'), null, identity(5), 'pending'],
  ] as const)('%s', (_, applied, last, intended, expected) => {
    expect(statusOf({ applied, receipt: last }, intended, 'db-1')).toBe(expected)
  })
})
