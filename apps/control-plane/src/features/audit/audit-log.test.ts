import { expect, test } from 'vitest'
import { boundedDetail } from './audit-log.ts'

test('what an outsider says is cut to a size and stripped of control characters', () => {
  const detail = boundedDetail({ email: `a\u0000\n${'x'.repeat(1_000)}`, port: 7, secure: false, odd: { a: 1 } })
  expect(detail).toEqual({ email: `a  ${'x'.repeat(253)}`, port: 7, secure: false, odd: '[object Object]' })
  expect(
    Object.keys(boundedDetail(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])))),
  ).toHaveLength(16)
})
