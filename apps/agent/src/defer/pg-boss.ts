import type { JobWithMetadata, PgBoss, SendOptions } from 'pg-boss'
import type { DurableQueue } from '../core/durable.ts'
import { jobUuid, type Keepable } from './job-key.ts'
import { MAX_UNANSWERED, Unanswered } from './unanswered.ts'

export interface PgBossDeferOptions {
  /** Goes with every job: retries, priority, how long it is kept. */
  readonly job?: Omit<SendOptions, 'id'>
  /** Jobs that PostgreSQL has not acknowledged; more fail at once. Default 200. */
  readonly maxUnanswered?: number
}

/** It will not be done any more, and never was. */
const isLost = ({ state }: Pick<JobWithMetadata, 'state'>): boolean => state === 'failed' || state === 'cancelled'

/**
 * Defers into a queue of pg-boss 12, which stays the host's own and has been created: `gate.deferTo(deferToPgBoss(boss, 'orders'))`. The data of a job is
 * the `DeferredWork`, or of a write by `deferWrite` the `DeferredCall`. Acknowledged once PostgreSQL has committed it. What has an id, or is a call, is kept once. What the queue's policy or a singleton does not keep, and
 * the repetition of a job that failed for good, is not acknowledged.
 */
export const deferToPgBoss = (
  boss: Pick<PgBoss, 'send' | 'findJobs'>,
  queue: string,
  { job = {}, maxUnanswered = MAX_UNANSWERED }: PgBossDeferOptions = {},
): DurableQueue<Keepable> => {
  const unanswered = new Unanswered(maxUnanswered)
  return {
    async enqueue(work, signal) {
      signal.throwIfAborted()
      const id = jobUuid(work)
      await unanswered.ask(async () => {
        const sent = await boss.send(queue, work, id === undefined ? job : { ...job, id })
        if (sent !== null) return
        const [same] = id === undefined ? [] : await boss.findJobs(queue, { id })
        if (same === undefined) throw new Error(`Queue ${queue} did not keep the job: its policy allows no more.`)
        if (isLost(same)) throw new Error(`Job ${id} of the same id is ${same.state}: it is not kept anew.`)
      })
    },
  }
}
