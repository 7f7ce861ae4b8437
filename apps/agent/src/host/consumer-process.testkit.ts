import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Weir } from '../weir.ts'

/**
 * A host process for tests: `node consumer-process.testkit.ts <adapter> <broker>`. Says `worked` when a message was, ends at the first word on its standard
 * input, and prints what it leaves behind as JSON.
 */
const [adapter = '', broker = ''] = process.argv.slice(2)

const errors: string[] = []
process.on('uncaughtException', (error) => errors.push(`uncaught ${error}`))
process.on('unhandledRejection', (error) => errors.push(`unhandled ${error}`))
const say = (words: unknown) => writeSync(1, `${typeof words === 'string' ? words : JSON.stringify(words)}\n`)

const weir = await Weir.start({ snapshotDir: false, telemetry: 'off' })
const worked = () => say('worked')
const consumers: Record<string, () => Promise<{ close(): Promise<unknown> }>> = {
  bullmq: async () => {
    const { weirWorker } = await import('./bullmq.ts')
    const connection = { path: broker, maxRetriesPerRequest: null }
    return weirWorker(weir, 'mails', worked, { connection, drainDelay: 1, runRetryDelay: 200 })
  },
  amqplib: async () => {
    const [{ weirConsume }, { connect }] = await Promise.all([import('./amqplib.ts'), import('amqplib')])
    return weirConsume(weir, 'mails', worked, { connect: () => connect(broker) })
  },
}
const consumer = await consumers[adapter]?.()
await once(process.stdin, 'data')
process.stdin.destroy()
const from = performance.now()
await consumer?.close()
await weir.close()
await new Promise((resolve) => setImmediate(resolve))
const resources = process.getActiveResourcesInfo().filter((name) => !/PipeWrap|TTYWrap|FSReq|FileHandle/.test(name))
say({ resources, errors, closeMs: performance.now() - from })
