import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { consumeMails } from '../../../../docs/snippets/amqp-consumer.ts'
import { type AmqpConsumeOptions, type AmqpConsumer, weirConsume } from './amqplib.ts'
import { ConsumerRig } from './consumer-rig.testkit.ts'
import { door } from './gate-rig.testkit.ts'
import { TestRabbit } from './rabbitmq.testkit.ts'
import { spawnConsumer } from './spawned.testkit.ts'

const MINUTE = 60_000

describe('a RabbitMQ queue behind a gate', () => {
  let rabbit: TestRabbit
  let rig: ConsumerRig
  let connection: ChannelModel
  let channel: ConfirmChannel
  const consumers: AmqpConsumer[] = []
  beforeAll(async () => {
    rabbit = await TestRabbit.start()
  })
  afterAll(() => rabbit.stop())

  const open = async () => {
    connection = await connect(rabbit.url)
    connection.on('error', () => undefined)
    channel = await connection.createConfirmChannel()
    channel.on('error', () => undefined)
  }
  beforeEach(async () => {
    await open()
    await channel.assertQueue('dead', { durable: true })
    const deadLetterRoutingKey = 'dead'
    await channel.assertQueue('mails', { durable: true, deadLetterExchange: '', deadLetterRoutingKey })
    for (const queue of ['mails', 'dead']) await channel.purgeQueue(queue)
  })
  afterEach(async () => {
    for (const consumer of consumers.splice(0)) await consumer.close()
    rig.close()
    await connection.close().catch(() => undefined)
  })

  const send = (body: string, ageMs = 0, timestamp = Math.floor((Date.now() - ageMs) / 1_000)) =>
    channel.sendToQueue('mails', Buffer.from(body), { persistent: true, timestamp })
  const consume = (handler: (body: string) => unknown, more: Partial<AmqpConsumeOptions> = {}) => {
    const options = { connect: () => connect(rabbit.url), ...more }
    const consumer = weirConsume(rig, 'mails', ({ content }) => handler(content.toString()), options)
    consumers.push(consumer)
    return consumer
  }
  const waiting = async (queue: string) => (await channel.checkQueue(queue)).messageCount

  it('M1 is delivered as many as the gate has slots', async () => {
    rig = new ConsumerRig(2)
    const gone = door()
    const ran: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(name)
    consume((name) => {
      ran.push(name)
      return gone.promise
    })
    await expect.poll(() => ran).toEqual(['a', 'b'])
    expect(rig.report).toMatchObject({ running: 2, inHand: 0 })
    expect(await waiting('mails')).toBe(3)
    gone.open()
    await expect.poll(() => ran).toEqual(['a', 'b', 'c', 'd', 'e'])
    await expect.poll(() => rig.gates.books().completed).toBe(5)
  })

  it('M2 B-84c what is too old is dead-lettered and never worked on, in seconds and in milliseconds', async () => {
    rig = new ConsumerRig(1, 2 * MINUTE)
    const ran: string[] = []
    send('behind', 10 * MINUTE)
    send('behind too', 0, Date.now() - 10 * MINUTE)
    send('fresh', MINUTE)
    consume((name) => ran.push(name))
    await expect.poll(() => ran).toEqual(['fresh'])
    await expect.poll(() => waiting('dead')).toBe(2)
    expect(rig.gates.books()).toMatchObject({ offered: 3, expired: 2, completed: 1 })
  })

  it('runs the consumer that the guide shows', async () => {
    rig = new ConsumerRig(4, 2 * MINUTE)
    const sent: string[] = []
    const noted: string[] = []
    send(JSON.stringify({ to: 'a' }))
    send(JSON.stringify({ to: 'b' }), 10 * MINUTE)
    const note = (to: string, ageMs: number) => noted.push(`${to} ${Math.round(ageMs / MINUTE)}`)
    const take = async ({ to }: { to: string }) => void sent.push(to)
    consumers.push(consumeMails(rig, rabbit.url, take, note))
    await expect.poll(() => [sent, noted]).toEqual([['a'], ['b 10']])
    await expect.poll(() => waiting('mails')).toBe(0)
    expect(await waiting('dead')).toBe(0)
  })

  it('delivers what failed once more, then dead-letters it', async () => {
    rig = new ConsumerRig(1)
    let tries = 0
    send('a')
    consume(() => {
      tries++
      throw new Error('no')
    })
    await expect.poll(() => waiting('dead')).toBe(1)
    expect(tries).toBe(2)
  })

  it('outlives a broker that is killed: what was in hand is delivered again, and work goes on', async () => {
    rig = new ConsumerRig(2)
    const holder = rig.gates.gate.tryAcquire()
    const gone = door()
    const ran: string[] = []
    send('running')
    send('in hand')
    await channel.waitForConfirms()
    consume((name) => {
      ran.push(name)
      return gone.promise
    })
    await expect.poll(() => [rig.report?.running, rig.report?.inHand]).toEqual([1, 1])
    const host = spawnConsumer('amqplib', rabbit.url)
    try {
      await rabbit.kill()
      await expect.poll(() => [rig.report?.lagMs, rig.report?.inHand]).toEqual([null, 0])
      expect(await host.end()).toMatchObject({ code: 0, faults: '', left: { resources: [], errors: [] } })
    } finally {
      host.kill()
    }
    await rabbit.up()
    gone.open()
    if (holder.accepted) holder.success()
    await expect.poll(() => ran.includes('in hand')).toBe(true)
    await expect.poll(() => rig.report?.lagMs).not.toBeNull()
    await open()
    await expect.poll(() => waiting('mails')).toBe(0)
  })
})
