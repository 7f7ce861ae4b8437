import { type Job, type Processor, Queue, UnrecoverableError, WaitingError, Worker, type WorkerOptions } from 'bullmq'
import type { Consumer } from '../consumer/consumer.ts'
import type { MessageContext } from '../consumer/message.ts'
import { type ConsumeOptions, type ConsumerHost, readMessage } from './broker/consuming.ts'
import { measuring } from './broker/measure.ts'

export type { MessageContext } from '../consumer/message.ts'
export { type BullMqDeferOptions, deferToBullMq } from '../defer/bullmq.ts'
export type { ConsumeOptions, ConsumerHost } from './broker/consuming.ts'

/** BullMQ's own options of a worker, but what the gate decides, and what Weir is to know of a job. */
export interface WeirWorkerOptions<D = unknown>
  extends Omit<WorkerOptions, 'concurrency' | 'autorun'>,
    ConsumeOptions<Job<D>> {}

/** A broker that a worker which closes hears nothing of for so long is gone, milliseconds. */
const ANSWERS_WITHIN_MS = 1_000

/** When a job was to be done first, milliseconds since 1970: a delay that was asked for is no age. */
const dueAtMs = ({ timestamp, opts }: Pick<Job, 'timestamp' | 'opts'>): number => timestamp + (opts?.delay ?? 0)

/** A worker that ends with its consumer. */
class GatedWorker<D, R> extends Worker<D, R> {
  readonly #consumer: Consumer
  readonly #waiting: Queue
  readonly #stop: () => void

  constructor(consumer: Consumer, queue: string, process: Processor<D, R>, options: WorkerOptions) {
    super(queue, process, { ...options, concurrency: Math.max(1, consumer.window) })
    const { connection, prefix } = options
    this.#consumer = consumer
    this.#waiting = new Queue(queue, {
      connection,
      skipMetasUpdate: true,
      ...(prefix === undefined ? {} : { prefix }),
    })
    const fault = (error: unknown) => consumer.fault(error)
    this.on('error', fault)
    this.#waiting.on('error', () => undefined)
    this.on('ioredis:close', () => consumer.connected(false))
    this.#stop = measuring(consumer, async () => {
      const oldest = await this.#waiting.getJobs(['waiting', 'prioritized'], 0, 0, true)
      return oldest.reduce((age, job) => Math.max(age, Date.now() - dueAtMs(job)), 0)
    })
    consumer.tap({
      pause: () => void this.pause(true).catch(fault),
      resume: () => this.resume(),
      window: (slots) => {
        this.concurrency = Math.max(1, slots)
      },
    })
  }

  /** As ever, but a broker that is gone is not asked for its leave: it would be waited for until it comes back. */
  override async close(force = false): Promise<void> {
    this.#stop()
    this.#consumer.stop()
    if (!force) await this.#consumer.close()
    const there = !force && (await this.#answers())
    if (there) await this.#waiting.close()
    else this.#waiting.disconnect().catch(() => undefined)
    await super.close(!there)
  }

  async #answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, ANSWERS_WITHIN_MS, false)
    this.#waiting.getWaitingCount().then(
      () => resolve(true),
      () => resolve(false),
    )
    return promise.finally(() => clearTimeout(timer))
  }
}

/**
 * A worker of BullMQ 6 behind a gate: as many jobs as the gate's limit, each begun when the gate has a slot for it and it is not too old by then. A job that is
 * goes to `deadLetter`, and to the failed jobs without another attempt. Jobs in hand keep their locks; at `worker.close()` those that did not begin go back to
 * the queue. Needs a second connection, to ask for the age of the oldest job; its faults and the worker's go to the agent's `onError`.
 */
export const weirWorker = <D = unknown, R = unknown>(
  weir: ConsumerHost,
  queue: string,
  handler: (job: Job<D, R>, context: MessageContext) => Promise<R> | R,
  { gate = queue, tenant, criticality, deadLetter, ...options }: WeirWorkerOptions<D>,
): Worker<D, R> => {
  const consumer = weir.consumer(gate, queue)
  const process = async (job: Job<D, R>, token?: string): Promise<R> => {
    const message = readMessage(consumer, { tenant, criticality }, job, dueAtMs(job))
    const end = await consumer.take(message, (context) => handler(job, context))
    switch (end.fate) {
      case 'done':
        return end.value
      case 'failed':
        throw end.error
      case 'expired':
        await deadLetter?.(job, end.ageMs)
        throw new UnrecoverableError(`Expired: ${Math.round(end.ageMs / 1_000)} s old when its turn came.`)
      case 'left':
        await job.moveToWait(token)
        throw new WaitingError()
    }
  }
  return new GatedWorker(consumer, queue, process, options)
}
