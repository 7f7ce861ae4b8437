import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { PgBoss } from 'pg-boss'
import { freshDatabase } from '../../../control-plane/src/testing/fresh-database.ts'
import type { DeferredWork } from '../admission/deferral.ts'
import type { DurableQueue } from '../core/durable.ts'
import { deferToBullMq } from './bullmq.ts'
import { CuttableWay } from './cuttable.testkit.ts'
import type { Keepable } from './job-key.ts'
import { deferToPgBoss } from './pg-boss.ts'
import { TestRedis } from './redis.testkit.ts'

/** A real broker, seen from behind: what it has of the jobs, whoever was told what. */
export interface Broker {
  readonly port: DurableQueue<Keepable>
  /** What it has that is still to be done. */
  stored(): Promise<DeferredWork[]>
  /** Does all that is stored; what `fn` throws fails for good. Resolves when `count` were done or failed. */
  work(count: number, fn: (work: DeferredWork) => void): Promise<void>
  /** Nothing reaches it any more, and nothing comes back. */
  cut(): Promise<void>
  restore(): Promise<void>
  stop(): Promise<void>
}

const QUEUE = 'orders'

/** Counts what a worker ends. */
const counter = (count: number) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let ended = 0
  const one = () => {
    ended++
    if (ended === count) resolve()
  }
  return { promise, one }
}

export const bullMq = async (): Promise<Broker> => {
  const redis = await TestRedis.start()
  const connection = { path: redis.socket }
  const client = new Redis({ ...connection, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  const queue = new Queue<DeferredWork>(QUEUE, { connection: client })
  queue.on('error', () => undefined)
  return {
    port: deferToBullMq(queue, { maxUnanswered: 5 }),
    async stored() {
      const seen = new Queue<DeferredWork>(QUEUE, { connection })
      try {
        return (await seen.getJobs(['waiting', 'active', 'delayed'])).map((job) => job.data)
      } finally {
        await seen.close()
      }
    },
    async work(count, fn) {
      const { promise, one } = counter(count)
      const worker = new Worker<DeferredWork>(QUEUE, async ({ data }) => fn(data), { connection })
      worker.on('completed', one)
      worker.on('failed', one)
      await promise
      await worker.close()
    },
    cut: () => redis.kill(),
    restore: () => redis.up(),
    async stop() {
      client.disconnect()
      await redis.stop()
    },
  }
}

export const pgBoss = async (): Promise<Broker> => {
  const database = await freshDatabase()
  const url = new URL(database.url)
  const way = await CuttableWay.to(url.hostname, Number(url.port || 5432))
  const near = new URL(url)
  near.host = `127.0.0.1:${way.port}`
  const quiet = { schedule: false, supervise: false, max: 2 }
  const boss = new PgBoss({ connectionString: near.href, ...quiet })
  const behind = new PgBoss({ connectionString: url.href, ...quiet })
  for (const one of [boss, behind]) one.on('error', () => undefined)
  await behind.start()
  await behind.createQueue(QUEUE, { retryLimit: 0 })
  await boss.start()
  return {
    port: deferToPgBoss(boss, QUEUE, { maxUnanswered: 5 }),
    stored: async () =>
      (await behind.findJobs<DeferredWork>(QUEUE)).filter(({ state }) => state === 'created').map(({ data }) => data),
    async work(count, fn) {
      for (let ended = 0; ended < count; ) {
        for (const { id, data } of await behind.fetch<DeferredWork>(QUEUE)) {
          try {
            fn(data)
            await behind.complete(QUEUE, id)
          } catch {
            await behind.fail(QUEUE, id)
          }
          ended++
        }
      }
    },
    async cut() {
      way.cut()
    },
    async restore() {
      way.restore()
    },
    async stop() {
      way.restore()
      for (const one of [boss, behind]) await one.stop({ graceful: false })
      way.close()
      await database.drop()
    },
  }
}
