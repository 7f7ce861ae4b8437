import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { consumeMails } from '../../../../docs/snippets/kafka-consumer.ts'
import { ConsumerRig } from './consumer-rig.testkit.ts'
import { door } from './gate-rig.testkit.ts'
import { TestKafka } from './kafka.testkit.ts'
import { type KafkaConsumer, weirConsume } from './kafkajs.ts'

const MINUTE = 60_000
/** The mock cluster waits so long for a member that has left. */
const SESSION_MS = 6_000

describe('a Kafka topic behind a gate', () => {
  let broker: TestKafka
  let kafka: Kafka
  let producer: Producer
  let rig: ConsumerRig
  const consumers: KafkaConsumer[] = []
  beforeAll(async () => {
    broker = await TestKafka.start()
    kafka = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING, retry: { initialRetryTime: 100 } })
    producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await producer.connect()
  })
  afterEach(async () => {
    for (const consumer of consumers.splice(0)) await consumer.close()
    rig.close()
  })
  afterAll(async () => {
    await producer.disconnect()
    await broker.stop()
  })

  const produce = (topic: string, values: readonly string[], ageMs = 0) =>
    producer.send({
      topic,
      messages: values.map((value) => ({ value, partition: 0, timestamp: String(Date.now() - ageMs) })),
    })
  const consume = async (topic: string, handler: (value: string) => unknown) => {
    const client = kafka.consumer({ groupId: `${topic}-group`, maxWaitTimeInMs: 100, sessionTimeout: SESSION_MS })
    await client.connect()
    await client.subscribe({ topic, fromBeginning: true })
    const consumer = weirConsume(rig, client, ({ message }) => handler(String(message.value)), { topic })
    consumers.push(consumer)
    return consumer
  }

  it('M1 B-84 works on as many as the gate has slots, and on none that is too old', async () => {
    rig = new ConsumerRig(2, MINUTE)
    const gone = door()
    const sent: string[] = []
    const expired: string[] = []
    const mail = (to: string) => JSON.stringify({ to })
    await produce('mails', [mail('old')], 2 * MINUTE)
    await produce('mails', ['a', 'b', 'c'].map(mail))
    await produce('mails', [mail('older')], 3 * MINUTE)
    const send = async ({ to }: { to: string }) => {
      sent.push(to)
      await gone.promise
    }
    consumers.push(await consumeMails(rig, kafka, send, producer))
    await expect.poll(() => sent).toEqual(['a', 'b'])
    expect(rig.report).toMatchObject({ running: 2 })
    gone.open()
    await consume('mails-expired', (value) => expired.push(value))
    await expect.poll(() => expired.toSorted()).toEqual([mail('old'), mail('older')])
    await expect.poll(() => sent).toEqual(['a', 'b', 'c'])
  })

  it('fetches a message that failed again, and begins where its group left off after a close', async () => {
    rig = new ConsumerRig(1)
    await produce('orders', ['a', 'b', 'c', 'd'])
    const gone = door()
    const ran: string[] = []
    const first = await consume('orders', (value) => {
      ran.push(value)
      if (value === 'b' && ran.length === 2) throw new Error('once')
      return value === 'c' ? gone.promise : undefined
    })
    await expect.poll(() => ran).toEqual(['a', 'b', 'b', 'c'])
    const closing = first.close()
    gone.open()
    await closing
    const later: string[] = []
    await consume('orders', (value) => later.push(value))
    await expect.poll(() => later).toEqual(['d'])
  })
})
