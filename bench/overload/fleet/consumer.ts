/** A worker of that queue: BullMQ's own, or one behind a gate that leaves what is too old. */

import { weirWorker } from '@weir/agent/bullmq'
import { type Job, Worker } from 'bullmq'
import { nowMs } from '../clock.ts'
import type { JobEnd } from './messages.ts'
import { type BrokerSettings, QUEUE } from './queue.ts'
import { Resource } from './resource.ts'
import { agentOf, serve, settingsOf } from './service.ts'

export interface ConsumerSettings extends BrokerSettings {
  readonly connections: number
  readonly workMs: number
}
interface Mail {
  readonly until: number
}

const settings = settingsOf<ConsumerSettings>()
const { connections, workMs } = settings
const connection = { path: settings.socket }
const resource = new Resource(connections, workMs)
const weir = await agentOf(settings)
const ends: JobEnd[] = []

const work = async ({ data: { until } }: Job<Mail>): Promise<void> => {
  await resource.use(until)
  ends.push([until, nowMs(), 'ok'])
}
if (weir)
  weirWorker<Mail, void>(weir, QUEUE, work, {
    connection,
    deadLetter: ({ data: { until } }) => void ends.push([until, nowMs(), 'refused']),
  })
else new Worker<Mail>(QUEUE, work, { connection, concurrency: connections })

serve({
  weir,
  gate: () => 'none',
  resource,
  ends: () => ends,
  handler: (_request, response) => response.writeHead(404).end(),
})
