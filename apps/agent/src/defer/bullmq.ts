import type { Job, JobsOptions, Queue } from 'bullmq'
import type { DurableQueue } from '../core/durable.ts'
import { jobKey, type Keepable } from './job-key.ts'
import { MAX_UNANSWERED, Unanswered } from './unanswered.ts'

export interface BullMqDeferOptions {
  /** Name of the jobs. Default `deferred`. */
  readonly name?: string
  /** Goes with every job: attempts, back-off, what is kept of it. */
  readonly job?: Omit<JobsOptions, 'jobId'>
  /** Jobs that Redis has not acknowledged; more fail at once. Default 200. */
  readonly maxUnanswered?: number
}

/**
 * Defers into a queue of BullMQ 6, which stays the host's own: `gate.deferTo(deferToBullMq(queue))`, or a write by `deferWrite(deferToBullMq(queue), …)`. The data
 * of a job is the `DeferredWork`, or the `DeferredCall`. Acknowledged once Redis has it, which is as durable as that Redis: `appendfsync always`, or up to a second of it is lost with the machine, and `maxmemory-policy noeviction`.
 * What has an id, or is a call, is kept once; that of a job which failed for good is not acknowledged again.
 */
export const deferToBullMq = (
  queue: Pick<Queue, 'add'> & { getJobState(id: string): Promise<string> },
  { name = 'deferred', job = {}, maxUnanswered = MAX_UNANSWERED }: BullMqDeferOptions = {},
): DurableQueue<Keepable> => {
  const unanswered = new Unanswered(maxUnanswered)
  return {
    async enqueue(work, signal) {
      signal.throwIfAborted()
      const jobId = jobKey(work)
      await unanswered.ask(async () => {
        const added: Pick<Job, 'id'> = await queue.add(name, work, jobId === undefined ? job : { ...job, jobId })
        if (jobId === undefined) return
        const state = await queue.getJobState(jobId)
        if (state === 'failed') throw new Error(`Job ${added.id} of the same id failed before: it is not kept anew.`)
      })
    },
  }
}
