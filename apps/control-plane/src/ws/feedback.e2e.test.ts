import { Weir } from '@weir/agent'
import { weirWorker } from '@weir/agent/bullmq'
import type { FeedbackRow } from '@weir/api'
import { Queue } from 'bullmq'
import { afterEach, expect, test } from 'vitest'
import { TestRedis } from '../../../agent/src/defer/redis.testkit.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { BASE } from './fleet.testkit.ts'

const MINUTE = 60_000
const endings: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const POLICIES = {
  mailer: 'gates: { mails: { concurrency: 4, consumer: { maxAgeMs: 120000 } } }',
  orders: `
gates: { checkout: { concurrency: 100 } }
tenants: { default: { concurrency: 20 } }
feedback: { mails: { resource: checkout, stepSeconds: 1, rise: 0.3 } }`,
}

const startServices = async (plane: TestApp) => {
  await plane.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
  for (const [name, document] of Object.entries(POLICIES)) {
    await plane.call('POST', `${BASE}/services`, { body: { name } })
    const path = `${BASE}/services/${name}/policy`
    const etag = (await plane.call('GET', path)).headers.get('etag') ?? ''
    const body = { document, reason: 'begin' }
    const answer = await plane.call('POST', `${path}/publish`, { headers: { 'if-match': etag }, body })
    expect(answer.status).toBe(200)
  }
}

const startAgent = async (plane: TestApp, service: string): Promise<Weir> => {
  const body = { name: service, services: [service], kind: 'agent' }
  const { secret } = (await plane.call('POST', `${BASE}/keys`, { body })).body
  const controlPlane = plane.url.replace(/^http/, 'ws')
  const weir = await Weir.start({ service, controlPlane, key: secret, snapshotDir: false, telemetry: 'off' })
  endings.push(() => weir.close())
  await expect.poll(() => weir.status().policy?.revision).toBe(1)
  return weir
}

/** How many of one tenant run at once at the gate of the producers. */
const fits = (weir: Weir): number => {
  const entries = Array.from({ length: 30 }, () => weir.gate('checkout').tryAcquire({ tenant: 'acme' }))
  for (const entry of entries) if (entry.accepted) entry.success()
  return entries.filter(({ accepted }) => accepted).length
}

test('M3 a consumer ten minutes behind: the expired are never worked on, the producers’ quota falls, and comes back without flapping', async () => {
  const redis = await TestRedis.start()
  endings.push(() => redis.stop())
  const plane = await startTestApp()
  endings.push(() => plane.close())
  await startServices(plane)
  const mailer = await startAgent(plane, 'mailer')
  const orders = await startAgent(plane, 'orders')

  const connection = { path: redis.socket, maxRetriesPerRequest: null }
  const queue = new Queue<string>('mails', { connection })
  endings.push(() => queue.close())
  const job = (data: string, ageMs: number) => ({ name: 'mail', data, opts: { timestamp: Date.now() - ageMs } })
  const worked: string[] = []
  const caughtUp = Promise.withResolvers<void>()
  const behind = [job('behind', 10 * MINUTE), job('behind', 10 * MINUTE), job('behind', 9 * MINUTE)]
  const worker = weirWorker<string>(
    mailer,
    'mails',
    async ({ data }) => {
      worked.push(data)
    },
    // The dead-letter store is slow, which keeps the consumer behind for as long as the test wants.
    { connection, drainDelay: 1, deadLetter: () => caughtUp.promise },
  )
  endings.push(() => worker.close())
  const shares: number[] = []
  const rule = async (): Promise<FeedbackRow> => {
    const [row] = (await plane.call('GET', `${BASE}/services/orders/feedback`)).body.items
    shares.push(row.scale)
    return row
  }
  expect(await rule()).toMatchObject({ topic: 'mails', resource: 'checkout', scale: 1, phase: 'whole', binds: true })
  expect(fits(orders)).toBe(20)

  await queue.addBulk([...behind, ...Array.from({ length: 20 }, () => job('behind', 9 * MINUTE)), job('fresh', 0)])
  await expect
    .poll(async () => {
      const { scale, consumers, lagSeconds } = await rule()
      return scale < 0.6 && consumers === 1 && (lagSeconds ?? 0) > 8 * 60
    })
    .toBe(true)
  await expect.poll(() => fits(orders)).toBeLessThan(12)

  caughtUp.resolve()
  await expect.poll(() => worked).toEqual(['fresh'])
  await expect.poll(async () => (await rule()).phase, { timeout: 40_000 }).toBe('whole')
  await expect.poll(() => fits(orders)).toBe(20)
  expect((await queue.getJobCounts('failed', 'completed')).failed).toBe(23)
  const lowest = shares.indexOf(Math.min(...shares))
  const [falling, rising] = [shares.slice(0, lowest), shares.slice(lowest)]
  expect(falling).toEqual(falling.toSorted((a, b) => b - a))
  expect(rising).toEqual(rising.toSorted((a, b) => a - b))
  expect(worked).toEqual(['fresh'])
}, 180_000)
