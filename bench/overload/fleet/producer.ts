/** A service that takes work in, keeps it in a queue of BullMQ and says so. */
import { Queue } from 'bullmq'
import { type BrokerSettings, QUEUE } from './queue.ts'
import { serve, settingsOf, untilOf } from './service.ts'

const { socket } = settingsOf<BrokerSettings>()
const queue = new Queue(QUEUE, { connection: { path: socket } })

/** Looked at four times a second. */
const resource = { waiting: 0, begun: 0, stale: 0 }
setInterval(async () => {
  resource.waiting = await queue.getWaitingCount()
}, 250)

serve({
  weir: null,
  resource,
  gate: () => 'in',
  handler: async (request, response) => {
    await queue.add('mail', { until: untilOf(request) }, { removeOnComplete: true, removeOnFail: true })
    response.writeHead(202).end('{"kept":true}')
  },
})
