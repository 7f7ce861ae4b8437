import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { redisTarget } from '../../config/redis-url.ts'
import type { ClaimTiming } from '../../features/leases/claim-store.ts'
import type { ClaimsUnderTest } from '../../features/leases/claims-contract.testkit.ts'
import { MemoryBus } from '../memory/memory-bus.ts'
import { RedisBus } from './redis-bus.ts'
import { RedisClaims } from './redis-claims.ts'
import { RedisLink } from './redis-link.ts'

/** Redis has no other clock than the real one: short, and long beside a pause of this process. */
const TIMING: ClaimTiming = { claimMs: 400, turnMs: 50, spareMs: 400 }
const PROBE = { environment: '', service: '', revision: 0, policyVersion: 0, author: '', reason: '', at: '' }

/** Of one replica, to the end of the test. */
export const linkTo = (
  url: string,
  installation: string,
  onTrouble: (error: unknown) => void = () => {},
): RedisLink => {
  const link = new RedisLink(redisTarget(url), installation, onTrouble)
  onTestFinished(() => link.close())
  return link
}

/** Claims over a Redis that answers; `empty` empties all of it. */
export const claimsOver = async (
  url: string,
  empty: (link: RedisLink) => Promise<unknown>,
): Promise<ClaimsUnderTest> => {
  const link = linkTo(url, randomUUID())
  const store = new RedisClaims(link, TIMING)
  await expect.poll(() => store.claim('somebody', null, []).catch(() => null)).not.toBeNull()
  await link.commands.del(link.named('claims'))
  const pass = async (ms: number) => {
    const until = performance.now() + ms
    while (performance.now() < until) {
      await wait(Math.min(TIMING.turnMs, Math.max(1, until - performance.now())))
      await store.claim('somebody', null, [])
    }
  }
  const lose = async () => void (await empty(link))
  return { store, timing: TIMING, pass, idle: (ms: number) => wait(ms).then(() => {}), lose }
}

export const busOver = (
  url: string,
  installation: string,
  onTrouble?: (error: unknown) => void,
): { bus: RedisBus; link: RedisLink } => {
  const link = linkTo(url, installation, onTrouble)
  const bus = new RedisBus(link, new MemoryBus())
  onTestFinished(() => bus.close())
  return { bus, link }
}

/** The buses of two replicas that hear each other: subscriptions take a moment to be in force. */
export const busesOver = async (url: string, onTrouble?: (error: unknown) => void) => {
  const installation = randomUUID()
  const near = busOver(url, installation, onTrouble).bus
  const far = busOver(url, installation, onTrouble).bus
  await hears(near, far)
  await hears(far, near)
  return { near, far }
}

export const hears = async (from: RedisBus, to: RedisBus): Promise<void> => {
  let heard = false
  const end = to.subscribe('published', () => {
    heard = true
  })
  await expect
    .poll(() => {
      from.publish('published', PROBE)
      return heard
    })
    .toBe(true)
  end()
}
