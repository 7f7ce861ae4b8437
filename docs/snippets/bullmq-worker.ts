import type { Weir } from '@weir/agent'
import { weirWorker } from '@weir/agent/bullmq'
import type { ConnectionOptions, Queue } from 'bullmq'

interface Mail {
  readonly to: string
  readonly customer: string
}

/** As many mails at once as the gate `mails` has slots for; those that are too old go to a queue of their own. */
export const consumeMails = (
  weir: Pick<Weir, 'consumer'>,
  connection: ConnectionOptions,
  send: (to: string) => Promise<void>,
  tooOld: Queue<Mail>,
) =>
  weirWorker<Mail, void>(weir, 'mails', ({ data }) => send(data.to), {
    connection,
    tenant: ({ data }) => data.customer,
    deadLetter: ({ data }) => tooOld.add('expired', data),
  })
