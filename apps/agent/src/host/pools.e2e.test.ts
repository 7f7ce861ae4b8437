import { Redis } from 'ioredis'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestRedis } from '../defer/redis.testkit.ts'
import { until } from './gate-rig.testkit.ts'
import { weirIoredis, weirPgPool } from './pools.ts'

let read: () => number
let ended: string[]
const weir = {
  gauge: (name: string, waitMs: () => number) => {
    read = waitMs
    return () => void ended.push(name)
  },
}
beforeEach(() => {
  ended = []
})

describe('a pool of pg', () => {
  let pool: pg.Pool
  let end: () => void
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: process.env.WEIR_TEST_DATABASE_URL, max: 1 })
    end = weirPgPool(weir, 'orders', pool)
  })
  afterEach(() => pool.end())

  it('tells how long the oldest has waited, then how long the longest had to', async () => {
    const held = await pool.connect()
    read()
    expect(read()).toBe(0)
    const query = pool.query('select 1')
    await until(() => read() > 30)
    held.release()
    expect((await query).rowCount).toBe(1)
    expect(read()).toBeGreaterThan(30)
    expect(read()).toBe(0)
  })

  it('counts a connection that cannot be had until it is refused, and ends as it was', async () => {
    const broken = new pg.Pool({ host: '127.0.0.1', port: 1 })
    const stop = weirPgPool(weir, 'broken', broken)
    await expect(broken.query('select 1')).rejects.toThrow()
    read()
    expect(read()).toBe(0)
    stop()
    end()
    expect(ended).toEqual(['broken', 'orders'])
    expect(Object.hasOwn(pool, 'connect')).toBe(false)
    expect((await pool.query('select 1')).rowCount).toBe(1)
  })
})

describe('a client of ioredis', () => {
  let server: TestRedis
  beforeEach(async () => {
    server = await TestRedis.start()
  })
  afterEach(() => server.stop())

  it('tells how long commands wait for the connection, and leaves out those that block on purpose', async () => {
    const client = new Redis({ path: server.socket, retryStrategy: () => 20, maxRetriesPerRequest: null })
    client.on('error', () => undefined)
    const end = weirIoredis(weir, 'cache', client)
    try {
      expect(await client.ping()).toBe('PONG')
      const other = client.duplicate().on('error', () => undefined)
      const stop = weirIoredis(weir, 'other', other)
      await other.ping()
      const blocked = other.blpop('queue', 0)
      await until(() => read() === 0)
      await client.rpush('queue', 'x')
      expect(await blocked).toEqual(['queue', 'x'])
      stop()
      other.disconnect()
      end()
      const again = weirIoredis(weir, 'cache', client)
      await server.kill()
      const waiting = client.ping()
      await until(() => read() > 30)
      await server.up()
      expect(await waiting).toBe('PONG')
      expect(read()).toBeGreaterThan(30)
      // The client may have a word of its own with the server that came back.
      await until(() => read() === 0)
      again()
      expect(Object.hasOwn(client, 'sendCommand')).toBe(false)
    } finally {
      client.disconnect()
    }
  })
})
