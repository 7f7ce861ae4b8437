import { describe, expect, it } from 'vitest'
import { grpcEnding, httpEnding } from './outcome.ts'

describe('how a status ends a permit', () => {
  it.each([
    [200, 'success'],
    [304, 'success'],
    [400, 'ignored'],
    [404, 'ignored'],
    [429, 'dropped'],
    [500, 'failure'],
    [502, 'failure'],
    [503, 'dropped'],
    [504, 'dropped'],
  ])('HTTP %i: %s', (status, ending) => {
    expect(httpEnding(status)).toBe(ending)
  })

  it.each([
    [0, 'success'],
    [1, 'ignored'],
    [2, 'failure'],
    [3, 'ignored'],
    [4, 'dropped'],
    [5, 'ignored'],
    [8, 'dropped'],
    [12, 'ignored'],
    [13, 'failure'],
    [14, 'dropped'],
    [15, 'failure'],
    [16, 'ignored'],
    [99, 'failure'],
  ])('gRPC %i: %s', (code, ending) => {
    expect(grpcEnding(code)).toBe(ending)
  })
})
