import { expect, test } from 'vitest'
import { isDatabaseAway } from './away.ts'

test('a server that goes, does not come, or has no room is away', () => {
  for (const error of [
    { code: 'P2039', meta: { driverAdapterError: { cause: { kind: 'postgres', code: '57P01' } } } },
    { code: 'P2039', meta: { driverAdapterError: { cause: { code: '55000', severity: 'FATAL' } } } },
    { code: 'ECONNREFUSED' },
    { code: '53300' },
    { code: 'P2028' },
    new Error('timeout exceeded when trying to connect'),
    new Error('wrapped', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
  ])
    expect([error, isDatabaseAway(error)]).toEqual([error, true])
})

test('a wrong statement, a taken name and a plain bug are not', () => {
  for (const error of [{ code: 'P2002' }, { code: '23505', severity: 'ERROR' }, new TypeError('x'), 'text', null])
    expect([error, isDatabaseAway(error)]).toEqual([error, false])
  const loop: { cause?: unknown } = {}
  loop.cause = loop
  expect(isDatabaseAway(loop)).toBe(false)
})
