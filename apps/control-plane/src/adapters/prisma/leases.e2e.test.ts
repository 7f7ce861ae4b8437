import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LeaseStore } from '../../features/leases/leases-port.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { TestFleet } from '../../ws/fleet.testkit.ts'
import { PrismaLeaseStore } from './leases.ts'

let weir: TestApp
let fleet: TestFleet
let store: LeaseStore
let serviceId: string
beforeAll(async () => {
  weir = await startTestApp()
  fleet = await TestFleet.over(weir)
  store = new PrismaLeaseStore(weir.database)
  serviceId = (await weir.database.prisma.service.findFirstOrThrow({ where: { name: 'orders' } })).id
})
afterAll(() => weir.close())

const set = (tenant: string, quota: object) => fleet.quota('checkout', tenant, quota)
const largest = async (withinMs: number, tenant: string) =>
  (await store.before(serviceId, withinMs)).quotas.checkout?.[tenant]
const anHourAgo = () =>
  weir.database.pool.query("ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET at = at - interval '1 hour'")

test('of each quota the largest that was in force lately, also of one that is gone', async () => {
  await set('a/b', { rate: 100, concurrency: 3 })
  await anHourAgo()
  expect(await largest(60_000, 'a/b')).toMatchObject({ rate: 100, concurrency: 3 })
  await set('a/b', { rate: 10, concurrency: 7 })
  await set('a/b', { rate: 20 })
  expect(await largest(60_000, 'a/b')).toMatchObject({ rate: 100, concurrency: 7 })
  await fleet.noQuota('checkout', 'a/b')
  expect(await largest(60_000, 'a/b')).toMatchObject({ rate: 100, concurrency: 7 })
  await anHourAgo()
  expect(await largest(60_000, 'a/b')).toBeUndefined()
  await set('other', { rate: 5 })
  await anHourAgo()
  expect((await store.before(serviceId, 60_000)).quotas).toMatchObject({ checkout: { other: { rate: 5 } } })
})

test('of the agents those that have not ended', async () => {
  const [a, b] = [await fleet.agent('a'), await fleet.agent('b')]
  b.say({ type: 'bye', reason: 'test' })
  await expect.poll(async () => [...(await store.before(serviceId, 60_000)).agents]).toEqual(['a'])
  await a.close()
})
