import { describe, expect, it } from 'vitest'
import { QuotaLedger } from './ledger.ts'
import { leaseTiming } from './timing.ts'

const REFRESH_MS = 2_000
const FORMER_REFRESH_MS = 5_000
/** The book before asked less often, so its leases are longer than any of this one. */
const TIMING = leaseTiming(REFRESH_MS, 600_000, FORMER_REFRESH_MS)
const FORMER_LEASE_MS = 4 * FORMER_REFRESH_MS

describe('what a ledger before may have leased to one that is not heard', () => {
  it('is nobody else’s until the longest lease of that ledger has ended, then its safe capacity is', () => {
    const before = { agents: new Set(['silent', 'heard']), largest: 100 }
    const ledger = new QuotaLedger({ epoch: 'second', timing: TIMING, capacity: 100, random: () => 0, before }, 0)
    const ask = (agent: string, want: number, nowMs: number) =>
      ledger.ask({ agent, weight: 1, want, spare: 0, used: 0, inUse: 0, held: null }, nowMs)
    const held = { epoch: 'first', id: 1, units: 0, safe: 50, expiresInMs: 8_000, stepInMs: 0, deadInMs: 600_000 }
    ledger.ask({ agent: 'heard', weight: 1, want: 0, spare: 0, used: 0, inUse: 0, held }, 1)
    ledger.release('heard', 2)
    const usable: [atMs: number, units: number][] = []
    for (let nowMs = 1_000; nowMs <= FORMER_LEASE_MS + 3 * REFRESH_MS; nowMs += REFRESH_MS / 2)
      usable.push([nowMs, ask('new', 100, nowMs)?.units ?? 0])
    expect(usable.filter(([atMs, units]) => atMs < FORMER_LEASE_MS && units > 0)).toEqual([])
    expect(usable.at(-1)?.[1]).toBe(50)
  })
})
