import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { busContract } from '../../features/bus-contract.testkit.ts'
import { BookClaims } from '../../features/leases/book-claims.ts'
import { CLAIM_TIMING, quietMs } from '../../features/leases/claim-store.ts'
import { claimsContract } from '../../features/leases/claims-contract.testkit.ts'
import { busesOver, claimsOver, hears, linkTo } from './links.testkit.ts'
import { RedisClaims } from './redis-claims.ts'
import { Watched } from './servers.testkit.ts'

/** Of a machine that is busy with other things. */
const STALL_MS = 5_000

describe('claims and bus over a master that a sentinel watches', () => {
  let watched: Watched
  beforeAll(async () => {
    watched = await Watched.start()
  })
  afterAll(() => watched.stop())

  claimsContract(() => claimsOver(watched.url, (link) => link.commands.flushall()))
  busContract(() => busesOver(watched.url))

  it('a master that is killed: never do two own a book, and one does seconds after the fail-over at the latest', async () => {
    const { near, far } = await busesOver(watched.url)
    const installation = randomUUID()
    const replicas = ['a', 'b', 'c'].map((replica) => {
      const store = new RedisClaims(linkTo(watched.url, installation))
      return new BookClaims({ store, replica, monotonicMs: () => performance.now(), lost: () => {} })
    })
    for (const claims of replicas) claims.ownerOf('orders')
    const owners = () => replicas.filter((claims) => claims.owns('orders')).length
    let most = 0
    const timers = [
      setInterval(() => replicas.map((claims) => claims.turn()), CLAIM_TIMING.turnMs),
      setInterval(() => {
        most = Math.max(most, owners())
      }, 5),
    ]
    onTestFinished(() => {
      for (const timer of timers) clearInterval(timer)
    })
    await expect.poll(owners, { interval: 20 }).toBe(1)
    await watched.master.kill()
    await expect.poll(() => watched.isOver(), { interval: 20 }).toBe(true)
    const overMs = performance.now()
    // What is owned now may be owned since before: whoever owns after the longest claim was given the book by the new master.
    await expect.poll(() => performance.now() - overMs, { interval: 50 }).toBeGreaterThan(CLAIM_TIMING.claimMs)
    await expect.poll(owners, { interval: 20 }).toBe(1)
    expect(performance.now() - overMs).toBeLessThan(quietMs(CLAIM_TIMING) + 2 * CLAIM_TIMING.turnMs + STALL_MS)
    await hears(near, far)
    await hears(far, near)
    expect(most).toBe(1)
  })
})
