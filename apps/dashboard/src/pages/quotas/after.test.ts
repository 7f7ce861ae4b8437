import type { LeasedQuota } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { afterwards } from './after.ts'

const quota: LeasedQuota = {
  resource: 'checkout',
  tenant: 'acme',
  kind: 'rate',
  quota: 100,
  granted: 90,
  wanted: 300,
  used: 88,
  safe: 60,
  waiting: 50,
  outstanding: 95,
  reserved: 0,
  agents: 3,
  endInMs: 8_000,
  stepInMs: 22_000,
  deadInMs: 600_000,
}
const stages = (expiry: 'safe' | 'deny' | 'hold', holdSeconds = 60) =>
  afterwards(quota, { expiry, holdSeconds }).map(({ fromMs, units, outside }) => [fromMs / 1_000, units, outside])

describe('what becomes of a quota when nobody answers', () => {
  it.each([
    [
      'safe',
      60,
      [
        [0, 90, false],
        [8, 50, false],
        [22, 60, false],
        [600, 0, false],
      ],
    ],
    [
      'deny',
      60,
      [
        [0, 90, false],
        [8, 0, false],
      ],
    ],
    [
      'hold',
      5,
      [
        [0, 90, false],
        [8, 90, true],
        [13, 50, false],
        [22, 60, false],
        [600, 0, false],
      ],
    ],
    [
      'hold',
      60,
      [
        [0, 90, false],
        [8, 90, true],
        [68, 60, false],
        [600, 0, false],
      ],
    ],
  ] as const)('%s, held for %d s', (expiry, holdSeconds, expected) => {
    expect(stages(expiry, holdSeconds)).toEqual(expected)
  })
})
