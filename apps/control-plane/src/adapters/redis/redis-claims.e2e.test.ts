import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { redisTarget } from '../../config/redis-url.ts'
import { claimsContract } from '../../features/leases/claims-contract.testkit.ts'
import { RedisClaims } from './redis-claims.ts'
import { RedisLink } from './redis-link.ts'

/** Redis has no other clock than the real one: short, and long beside a pause of this process. */
const TIMING = { claimMs: 400, turnMs: 50, spareMs: 400 }

describe('claims in Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis.stop())

  const make = async () => {
    const link = new RedisLink(redisTarget(redis.url), randomUUID(), () => {})
    onTestFinished(() => link.close())
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
    const lose = async () => {
      await link.commands.flushall()
    }
    return { store, timing: TIMING, pass, idle: (ms: number) => wait(ms).then(() => {}), lose }
  }
  claimsContract(make)

  it('takes a restarted Redis for another one, though it has all that was written', async () => {
    const { store, pass } = await make()
    await pass(500)
    const { memory, owners } = await store.claim('a', null, [{ book: 'orders', owns: false }])
    expect(owners).toEqual(['a'])
    await redis.kill()
    await expect(store.claim('a', memory, [])).rejects.toThrow()
    await redis.up()
    const again = () => store.claim('b', memory, [{ book: 'orders', owns: true }]).catch(() => null)
    await expect.poll(again).not.toBeNull()
    const first = await store.claim('b', memory, [{ book: 'orders', owns: true }])
    expect([first.owners, first.memory === memory]).toEqual([[null], false])
  })
})
