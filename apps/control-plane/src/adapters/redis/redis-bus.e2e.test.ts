import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { busContract } from '../../features/bus-contract.testkit.ts'
import { busesOver, busOver, hears } from './links.testkit.ts'

describe('the bus of several replicas', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis.stop())

  const troubles: unknown[] = []
  const pair = () => busesOver(redis.url, (error) => troubles.push(error))

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
    const other = busOver(redis.url, randomUUID())
    const heard: string[] = []
    other.bus.subscribe('key-revoked', ({ keyId }) => heard.push(keyId))
    const installation = randomUUID()
    const [one, two] = [busOver(redis.url, installation), busOver(redis.url, installation)]
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
