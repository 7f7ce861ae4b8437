import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
const startService = async (env: Record<string, string>): Promise<{ url: string }> => {
  const script = new URL('../../../../docs/snippets/later.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script], {
    env: { ...process.env, PORT: '0', WEIR_KEY: 'the-key', ...env },
  })
  ends.push(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const address = () => /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
  await expect.poll(address, { timeout: 30_000, message: said }).toBeDefined()
  return { url: address() ?? '' }
}

it('the service of the guide defers what it has no room for, each order once', async () => {
  const redis = await TestRedis.start()
  ends.push(() => redis.stop())
  const plane = await TestControlPlane.start()
  ends.push(() => plane.stop())
  plane.snapshot = snapshotOf(1, {
    checkout: { concurrency: 1, queue: { maxWaitMs: 0 }, retryAfter: { minMs: 100, maxMs: 200 } },
  })
  const { paid, work, url: payments } = await paymentService()
  const env = { WEIR_CONTROL_PLANE: `ws://127.0.0.1:${plane.port}`, PAYMENTS_URL: payments, REDIS_URL: redis.socket }
  const { url } = await startService(env)
  await plane.until(() => plane.of('receipt').length === 1)
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
  work.open()
  expect(await first).toEqual([200, null])
}, 180_000)
