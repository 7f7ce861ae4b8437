import { Queue, type Worker } from 'bullmq'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consumeMails } from '../../../../docs/snippets/bullmq-worker.ts'
import { TestRedis } from '../defer/redis.testkit.ts'
import { weirWorker } from './bullmq.ts'
import { ConsumerRig } from './consumer-rig.testkit.ts'
import { door } from './gate-rig.testkit.ts'
import { spawnConsumer } from './spawned.testkit.ts'

const MINUTE = 60_000
/** How long a worker that found nothing sleeps at Redis, and after a fault. */
const QUICK = { drainDelay: 1, runRetryDelay: 200 }

describe('a BullMQ worker behind a gate', () => {
  let redis: TestRedis
  let queue: Queue<string>
  let rig: ConsumerRig
  const workers: Worker[] = []
  beforeEach(async () => {
    redis = await TestRedis.start()
    queue = new Queue<string>('mails', { connection: { path: redis.socket } })
    queue.on('error', () => undefined)
  })
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close(true)
    rig.close()
    await queue.close()
    await redis.stop()
  })

  const consume = (
    handler: (data: string) => Promise<unknown> | unknown,
    more: Partial<Parameters<typeof weirWorker<string>>[3]> = {},
  ) => {
    const connection = { path: redis.socket, maxRetriesPerRequest: null }
    const options = { connection, ...QUICK, ...more }
    const worker = weirWorker<string>(rig, 'mails', ({ data }) => handler(data), options)
    workers.push(worker)
    return worker
  }
  const send = (data: string, ageMs = 0, more = {}) =>
    queue.add('mail', data, { timestamp: Date.now() - ageMs, attempts: 3, ...more })
  const counts = () => queue.getJobCounts('waiting', 'active', 'completed', 'failed')

  it('M1 runs as many jobs as the gate has slots, and no more', async () => {
    rig = new ConsumerRig(2)
    const gone = door()
    const ran: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) await send(name)
    consume((name) => {
      ran.push(name)
      return gone.promise
    })
    await expect.poll(() => ran).toEqual(['a', 'b'])
    expect(rig.gates.slots.active).toBe(2)
    expect((await counts()).active).toBe(2)
    gone.open()
    await expect.poll(async () => (await counts()).completed).toBe(4)
    expect(rig.gates.books()).toMatchObject({ offered: 4, accepted: 4, completed: 4 })
  })

  it('M2 B-84c a job that is too old is dead-lettered, never worked on and never tried again', async () => {
    rig = new ConsumerRig(1, 2 * MINUTE)
    const ran: string[] = []
    const dead: string[] = []
    await send('behind', 10 * MINUTE)
    await send('asked to wait', 10 * MINUTE, { delay: 10 * MINUTE - 1_000 })
    await send('fresh', MINUTE)
    consume((name) => ran.push(name), {
      deadLetter: (job, ageMs) => dead.push(`${job.data} ${Math.round(ageMs / MINUTE)}`),
    })
    await expect.poll(counts).toMatchObject({ completed: 2, failed: 1, waiting: 0 })
    expect([ran.sort(), dead]).toEqual([['asked to wait', 'fresh'], ['behind 10']])
    const [failed] = await queue.getFailed()
    expect([failed?.failedReason, failed?.attemptsMade]).toEqual(['Expired: 600 s old when its turn came.', 1])
    expect(rig.gates.books()).toMatchObject({ offered: 3, expired: 1, completed: 2 })
  })

  it('runs the worker that the guide shows', async () => {
    rig = new ConsumerRig(4, 2 * MINUTE)
    const connection = { path: redis.socket }
    const mails = new Queue('mails', { connection })
    const tooOld = new Queue('too-old', { connection })
    const sent: string[] = []
    const mail = (to: string, ageMs: number) =>
      mails.add('mail', { to, customer: 'acme' }, { timestamp: Date.now() - ageMs })
    await mail('a', 0)
    await mail('b', 10 * MINUTE)
    const send = async (to: string) => {
      sent.push(to)
    }
    workers.push(consumeMails(rig, { ...connection, maxRetriesPerRequest: null }, send, tooOld))
    await expect.poll(() => sent).toEqual(['a'])
    await expect.poll(async () => (await tooOld.getWaiting()).map(({ data }) => data.to)).toEqual(['b'])
    await Promise.all([mails.close(), tooOld.close()])
  })

  it('leaves failures to the retries of the queue, and the age stops them', async () => {
    rig = new ConsumerRig(1, 1_500)
    let tries = 0
    await send('a', 0, { attempts: 100, backoff: 100 })
    consume(() => {
      tries++
      throw new Error('not yet')
    })
    await expect.poll(async () => (await queue.getFailed())[0]?.failedReason).toMatch(/^Expired/)
    expect(tries).toBeGreaterThan(1)
  })

  it('M3 reports the age of the oldest job as lag, also while its slots are full', async () => {
    rig = new ConsumerRig(1)
    const gone = door()
    await send('running', 1_000)
    await send('waits', 10 * MINUTE)
    consume(() => gone.promise)
    await expect.poll(() => Math.floor((rig.report?.lagMs ?? 0) / MINUTE)).toBe(10)
    gone.open()
    await expect.poll(() => rig.report?.lagMs, { timeout: 20_000 }).toBe(0)
  })

  it('gives what has not begun back to the queue when it closes', async () => {
    rig = new ConsumerRig(2)
    const holder = rig.gates.gate.tryAcquire()
    const gone = door()
    await send('a')
    await send('b')
    const worker = consume(() => gone.promise)
    await expect.poll(() => [rig.report?.running, rig.report?.inHand]).toEqual([1, 1])
    const closed = worker.close()
    await expect.poll(async () => (await counts()).waiting).toBe(1)
    gone.open()
    await closed
    expect(await counts()).toMatchObject({ waiting: 1, active: 0, completed: 1, failed: 0 })
    if (holder.accepted) holder.success()
  })

  it('outlives a broker that is killed: nothing reaches the host, the lag is unknown, and work goes on', async () => {
    rig = new ConsumerRig(1)
    const ran: string[] = []
    consume((name) => ran.push(name))
    await send('before')
    await expect.poll(() => ran).toEqual(['before'])
    await redis.kill()
    await expect.poll(() => rig.report?.lagMs).toBeNull()
    await redis.up()
    await send('after')
    await expect.poll(() => ran.at(-1)).toBe('after')
    await expect.poll(() => rig.report?.lagMs).not.toBeNull()
  })

  it.each([
    ['is there', true],
    ['was killed', false],
  ])('B-10 a process whose broker %s closes, leaves no handle and ends by itself', async (_what, stays) => {
    rig = new ConsumerRig(1)
    const host = spawnConsumer('bullmq', redis.socket)
    try {
      await send('a')
      await expect.poll(host.output).toBe('worked\n')
      if (!stays) await redis.kill()
      const end = await host.end()
      expect(end).toMatchObject({ code: 0, faults: '', left: { errors: [] } })
      // What is left by a client whose broker is gone are timers of its own, which end by themselves.
      if (stays) expect(end.left.resources).toEqual([])
    } finally {
      host.kill()
    }
  })
})
