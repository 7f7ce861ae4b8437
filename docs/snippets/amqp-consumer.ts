import type { Weir } from '@weir/agent'
import { weirConsume } from '@weir/agent/amqplib'
import { connect } from 'amqplib'

/** As many mails unacknowledged as the gate `mails` has slots; those that are too old are only noted. */
export const consumeMails = (
  weir: Pick<Weir, 'consumer'>,
  url: string,
  send: (mail: { to: string }) => Promise<void>,
  note: (to: string, ageMs: number) => void,
) =>
  weirConsume(weir, 'mails', ({ content }) => send(JSON.parse(content.toString())), {
    connect: () => connect(url),
    tenant: ({ properties }) => properties.headers?.customer,
    deadLetter: ({ content }, ageMs) => note(JSON.parse(content.toString()).to, ageMs),
  })
