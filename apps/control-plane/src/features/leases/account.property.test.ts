import { type LeaseGrant, type LeaseTerms, usableAt } from '@weir/policy/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lease } from '../../../../agent/src/leases/held.ts'
import { Account, type Sent } from './account.ts'
import { counted, declared } from './terms.ts'

const units = fc.integer({ min: 0, max: 100 })
const ms = (max: number) => fc.integer({ min: 0, max })
/** A lease ends before the wait is over, and that before an agent counts as dead. */
const grant = fc
  .record({
    units,
    safe: units,
    lengthMs: ms(20_000),
    afterMs: ms(30_000),
    longerMs: fc.integer({ min: 30_000, max: 90_000 }),
  })
  .map(({ units, safe, lengthMs, afterMs, longerMs }): LeaseGrant => {
    const waitMs = lengthMs + afterMs
    return {
      epoch: 'book',
      id: 1,
      quota: 100,
      refreshMs: 2_000,
      units,
      safe,
      lengthMs,
      waitMs,
      deadMs: waitMs + longerMs,
    }
  })
/** Two clocks run apart by a hundredth at most. */
const rate = fc.constantFrom(0.9955, 1, 1.0045)
const OFFSET_MS = 1_000_000

/** Moments just before and after each change of a lease, as its agent sees it, in true time. */
const looks = (lease: Lease, agentMs: (trueMs: number) => number, fromMs: number): number[] => {
  const moments = [fromMs]
  for (let atMs = agentMs(fromMs); Number.isFinite(lease.changesAfter(atMs)); ) {
    atMs = lease.changesAfter(atMs)
    const trueMs = fromMs + ((atMs - agentMs(fromMs)) * fromMs) / (agentMs(fromMs) || 1)
    moments.push(trueMs - 1e-3, trueMs + 1e-3)
  }
  return moments
}

describe('what the control plane counts of one agent', () => {
  it('is never less than the agent may use of the answer it was sent, by whichever clock', () => {
    fc.assert(
      fc.property(grant, rate, rate, ms(5_000), ms(5_000), (grant, agentRate, planeRate, thereMs, backMs) => {
        const agentMs = (trueMs: number) => trueMs * agentRate
        const planeMs = (trueMs: number) => OFFSET_MS + trueMs * planeRate
        const [askedMs, answeredMs, cameMs] = [1_000, 1_000 + thereMs, 1_000 + thereMs + backMs]
        const account = new Account('a')
        account.send(counted(grant, planeMs(answeredMs)))
        const lease = new Lease()
        lease.take(grant, agentMs(askedMs), agentMs(cameMs))
        for (const atMs of looks(lease, agentMs, cameMs))
          expect(account.usable(planeMs(atMs), planeMs(atMs) + 1e-3)).toBeGreaterThanOrEqual(
            lease.usable(agentMs(atMs)),
          )
      }),
      { numRuns: 1_000, seed: 1 },
    )
  })

  it('is never less than the agent may use of what it told, as long ago as its connection has been there', () => {
    fc.assert(
      fc.property(
        fc.record({ grant, agentRate: rate, planeRate: rate }),
        fc.tuple(ms(90_000), ms(5_000), ms(5_000)),
        ({ grant, agentRate, planeRate }, [heldMs, waitedMs, travelMs]) => {
          const agentMs = (trueMs: number) => trueMs * agentRate
          const planeMs = (trueMs: number) => OFFSET_MS + trueMs * planeRate
          const openedMs = 1_000 + heldMs
          const toldMs = openedMs + waitedMs
          const readMs = toldMs + travelMs
          const lease = new Lease()
          lease.take(grant, agentMs(1_000), agentMs(1_000))
          const held = lease.told(agentMs(toldMs))
          if (held === null) return
          const account = new Account('a')
          account.declare(declared(held, planeMs(readMs), planeMs(openedMs)))
          for (const atMs of looks(lease, agentMs, readMs))
            expect(account.usable(planeMs(atMs), planeMs(atMs) + 1e-3)).toBeGreaterThanOrEqual(
              lease.usable(agentMs(atMs)),
            )
        },
      ),
      { numRuns: 1_000, seed: 1 },
    )
  })

  /** Of one ledger, one after another: each later than the one before in all but its end. */
  const sentOf = fc
    .array(fc.record({ units, safe: units, lengthMs: ms(20_000) }), { minLength: 1, maxLength: 20 })
    .map((all) =>
      all.map(({ units, safe, lengthMs }, i): Sent => {
        const atMs = i * 500
        return { id: i + 1, units, safe, expiresMs: atMs + lengthMs, stepMs: atMs + 22_000, deadMs: atMs + 60_000 }
      }),
    )

  it('is never less than any grant allows that may have come, however many were sent, at any moment of a stretch', () => {
    fc.assert(
      fc.property(sentOf, ms(25), ms(80_000), ms(10_000), (sent, held, fromMs, lastsMs) => {
        const account = new Account('a')
        for (const grant of sent) account.send(grant)
        account.holds(held)
        const kept = sent.filter(({ id }) => held > sent.length || id >= held)
        const toMs = fromMs + lastsMs
        const moments = kept.flatMap(changes).filter((atMs) => atMs >= fromMs && atMs < toMs)
        for (const atMs of [fromMs, ...moments])
          for (const grant of kept) {
            expect(account.usable(fromMs, toMs)).toBeGreaterThanOrEqual(usableAt(grant, atMs))
            expect(account.usable(atMs, atMs + 1)).toBeGreaterThanOrEqual(usableAt(grant, atMs))
            expect(account.isDead(atMs) && grant.deadMs > atMs).toBe(false)
          }
        for (const grant of kept) {
          expect(account.safe).toBeGreaterThanOrEqual(grant.safe)
          expect(account.stepMs).toBeLessThanOrEqual(grant.stepMs)
        }
      }),
      { numRuns: 1_000, seed: 1 },
    )
  })

  it('counts the slots that are in use for as long as it may be alive, whatever is leased', () => {
    const account = new Account('a')
    account.send({ id: 1, units: 2, safe: 1, expiresMs: 100, stepMs: 200, deadMs: 300 })
    account.inUse = 7
    expect([50, 150, 250, 299, 300].map((atMs) => account.usable(atMs, atMs))).toEqual([7, 7, 7, 7, 0])
  })

  it('may use its safe capacity from the first step of all that may have come', () => {
    const account = new Account('a')
    for (const id of [1, 2, 3]) account.send({ id, units: 2, safe: 1, expiresMs: 100, stepMs: 200 * id, deadMs: 900 })
    expect(account.stepMs).toBe(200)
    account.holds(2)
    expect(account.stepMs).toBe(400)
  })
})

const changes = ({ expiresMs, stepMs, deadMs }: LeaseTerms): number[] =>
  [expiresMs, stepMs, deadMs].flatMap((atMs) => [atMs - 1, atMs])
