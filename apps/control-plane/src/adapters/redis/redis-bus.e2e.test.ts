import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { redisTarget } from '../../config/redis-url.ts'
import { busContract } from '../../features/bus-contract.testkit.ts'
import { MemoryBus } from '../memory/memory-bus.ts'
import { RedisBus } from './redis-bus.ts'
import { RedisLink } from './redis-link.ts'

const PROBE = { environment: '', service: '', revision: 0, policyVersion: 0, author: '', reason: '', at: '' }

describe('the bus of several replicas', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis.stop())

  const troubles: unknown[] = []
  const replica = async (installation: string) => {
    const link = new RedisLink(redisTarget(redis.url), installation, (error) => troubles.push(error))
    const bus = new RedisBus(link, new MemoryBus())
    onTestFinished(() => {
      bus.close()
      link.close()
    })
    return { bus, link }
  }
  /** Both hear each other: subscriptions take a moment to be in force. */
  const pair = async () => {
    const installation = randomUUID()
    const [near, far] = [(await replica(installation)).bus, (await replica(installation)).bus]
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      await hears(from, to)
    return { near, far }
  }
  const hears = async (from: RedisBus, to: RedisBus) => {
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

  busContract(pair)

  it('hears again after Redis was killed and came back, and its own all the while', async () => {
    const { near, far } = await pair()
    const own: string[] = []
    near.subscribe('key-revoked', ({ keyId }) => own.push(keyId))
    troubles.length = 0
    await redis.kill()
    near.publish('key-revoked', { keyId: 'meanwhile' })
    await expect.poll(() => own).toEqual(['meanwhile'])
    await redis.up()
    await hears(near, far)
    await hears(far, near)
    expect(troubles.length).toBeLessThan(10)
  })

  it('keeps the replicas of two databases apart, and passes over what it does not know', async () => {
    const { near } = await pair()
    const other = await replica(randomUUID())
    const heard: string[] = []
    other.bus.subscribe('key-revoked', ({ keyId }) => heard.push(keyId))
    const installation = randomUUID()
    const [one, two] = [await replica(installation), await replica(installation)]
    await hears(one.bus, two.bus)
    two.bus.subscribe('key-revoked', ({ keyId }) => heard.push(keyId))
    near.publish('key-revoked', { keyId: 'of another database' })
    for (const text of [
      'no JSON',
      '{}',
      '{"from":"x","topic":"toString","payload":{}}',
      '{"from":"x","topic":"key-revoked","payload":{}}',
    ])
      one.link.publish('bus', text)
    one.bus.publish('key-revoked', { keyId: 'known' })
    await expect.poll(() => heard).toEqual(['known'])
  })
})
