import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue } from 'bullmq'
import { afterEach, expect, it } from 'vitest'
import { snapshotOf, TestControlPlane } from '../control-plane.testkit.ts'
import { door } from '../host/gate-rig.testkit.ts'
import { TestRedis } from './redis.testkit.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Answers each payment when its door opens. */
const paymentService = async () => {
  const paid: unknown[] = []
  const work = door()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      paid.push(JSON.parse(body))
      await work.promise
      response.setHeader('content-type', 'application/json').end('"paid"')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return { paid, work, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The service of the guide, as its reader would start it. */
const startService = async (
  env: Record<string, string>,
): Promise<{ child: ChildProcess; url: string; said: () => string }> => {
  const script = new URL('../../../../docs/snippets/later.ts', import.meta.url).pathname
  // What an earlier process kept on the disk is not to be found again.
  const folder = await mkdtemp(join(tmpdir(), 'weir-later-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script], {
    env: { ...process.env, PORT: '0', WEIR_KEY: 'the-key', TMPDIR: folder, ...env },
  })
  ends.push(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const address = () => /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
  await expect.poll(address, { timeout: 30_000, message: said }).toBeDefined()
  return { child, url: address() ?? '', said: () => said }
}

it('the service of the guide defers what it has no room for, outlives its Redis, does each order once, and leaves no handle behind', async () => {
  const redis = await TestRedis.start()
  ends.push(() => redis.stop())
  const plane = await TestControlPlane.start()
  ends.push(() => plane.stop())
  plane.snapshot = snapshotOf(1, {
    checkout: { concurrency: 1, queue: { maxWaitMs: 0 }, retryAfter: { minMs: 100, maxMs: 200 } },
  })
  const { paid, work, url: payments } = await paymentService()
  const env = { WEIR_CONTROL_PLANE: `ws://127.0.0.1:${plane.port}`, PAYMENTS_URL: payments, REDIS_URL: redis.socket }
  const { child, url, said } = await startService(env)
  await plane.until(() => plane.of('receipt').length >= 1)
  const order = async (n: number) => {
    const answer = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `order-${n}` },
      body: JSON.stringify({ n }),
    })
    return [answer.status, answer.headers.get('weir-reason') ?? answer.headers.get('location')]
  }

  const first = order(0)
  await expect.poll(() => paid.length).toBe(1)
  expect([await order(1), await order(1), await order(2)]).toEqual([
    [202, '/orders/order-1'],
    [202, '/orders/order-1'],
    [202, '/orders/order-2'],
  ])
  await redis.kill()
  expect(await Promise.all([order(3), order(4)])).toEqual(Array(2).fill([503, 'defer-failed']))
  await redis.up()
  await expect.poll(() => order(5), { timeout: 30_000 }).toEqual([202, '/orders/order-5'])

  work.open()
  expect(await first).toEqual([200, null])
  const done = () => (paid as { n: number }[]).map(({ n }) => n).sort()
  await expect.poll(done, { timeout: 60_000, message: said() }).toEqual(expect.arrayContaining([0, 1, 2, 5]))
  const seen = new Queue('orders', { connection: { path: redis.socket } })
  await expect.poll(() => seen.getJobCountByTypes('waiting', 'delayed', 'active'), { timeout: 60_000 }).toBe(0)
  expect([await seen.getFailedCount(), new Set(done()).size]).toEqual([0, paid.length])
  await seen.close()

  child.kill('SIGTERM')
  await expect.poll(() => child.exitCode, { timeout: 60_000, message: said() }).toBe(0)
}, 180_000)
