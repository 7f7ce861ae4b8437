import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { claimsContract } from '../../features/leases/claims-contract.testkit.ts'
import { claimsOver } from './links.testkit.ts'

describe('claims in Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis.stop())

  const make = () => claimsOver(redis.url, (link) => link.commands.flushall())
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
