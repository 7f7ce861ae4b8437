import type { Weir } from '@weir/agent'
import { weirConsume } from '@weir/agent/kafkajs'
import type { Kafka, Producer } from 'kafkajs'

/** As many mails at once as the gate `mails` has slots; those that are too old go to a topic of their own. */
export const consumeMails = async (
  weir: Pick<Weir, 'consumer'>,
  kafka: Kafka,
  send: (mail: { to: string }) => Promise<void>,
  tooOld: Producer,
) => {
  const consumer = kafka.consumer({ groupId: 'mailer' })
  await consumer.connect()
  await consumer.subscribe({ topic: 'mails', fromBeginning: true })
  return weirConsume(weir, consumer, ({ message }) => send(JSON.parse(String(message.value))), {
    topic: 'mails',
    tenant: ({ message }) => message.headers?.customer?.toString(),
    deadLetter: ({ message: { key, value } }) => tooOld.send({ topic: 'mails-expired', messages: [{ key, value }] }),
  })
}
