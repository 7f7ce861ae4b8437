import { describe, expect, it } from 'vitest'
import { isPresumedDead, presenceOf, type Sighting } from './presence.ts'

const TIMING = { heartbeatMs: 5_000, missedHeartbeats: 3, presumedDeadMs: 600_000 }
const heard = (agoMs: number, rest: Partial<Sighting> = {}): Sighting => ({
  connected: false,
  lastHeardAtMs: 1_000_000 - agoMs,
  endedAtMs: null,
  ...rest,
})

describe('presence', () => {
  it.each([
    ['heard just now', heard(0), 'live'],
    ['heard three heartbeats ago', heard(15_000), 'live'],
    ['heard longer ago', heard(15_001), 'lost'],
    ['connected though silent', heard(15_001, { connected: true }), 'live'],
    ['silent just short of presumed dead', heard(599_999), 'lost'],
    ['silent until presumed dead', heard(600_000), 'ended'],
    ['said bye a moment ago', heard(0, { endedAtMs: 1_000_000 }), 'ended'],
    ['heard in the future, the clock stepped back', heard(-60_000), 'live'],
  ] as const)('%s', (_, sighting, expected) => {
    expect(presenceOf(sighting, 1_000_000, TIMING)).toBe(expected)
  })

  it('nobody is presumed dead by a control plane that has only just begun to listen', () => {
    const timing = { presumedDeadMs: 600_000, reconnectGraceMs: 45_000 }
    const dead = (since: number) => isPresumedDead(1_000_000 - 3_600_000, 1_000_000, since, timing)
    expect(dead(1_000_000)).toBe(false)
    expect(dead(1_000_000 - 44_999)).toBe(false)
    expect(dead(1_000_000 - 45_000)).toBe(true)
    expect(isPresumedDead(1_000_000 - 599_999, 1_000_000, 0, timing)).toBe(false)
  })
})
