/** The fifth stage: the whole contract. What cannot be paid now is kept durably and paid once, with the key that its attempts bore. */
import { type Attempt, type DeferredCall, deferWrite, Weir } from '@weir/agent'
import { deferToBullMq } from '@weir/agent/bullmq'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { type Stage, attempt as send } from './attempt.ts'

const QUEUE = 'payments'
/** What was put off is settled one by one, behind the customers who are there. */
const PACE = { concurrency: 1, limiter: { max: 1, duration: 200 } }
/** A payment takes 10 to 20 ms: what has no answer by now will have none. */
const ATTEMPT_MS = 100
/** Half of what was promised: by then most outages are over, and there is time for another. */
const delay = Number(process.env.SETTLE_AFTER_MS)
const JOB = { delay, attempts: 1_000, backoff: { type: 'fixed', delay: 250 } }

const attempt = (payment: string, { signal, headers }: Attempt) =>
  send(payment, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]), { ...headers, 'idempotency-key': payment })

export const weirStage = async (): Promise<Stage & { readonly weir: Weir }> => {
  const bootstrapFile = new URL('../orders.yaml', import.meta.url).pathname
  const weir = await Weir.start({
    service: 'orders',
    bootstrapFile,
    snapshotDir: false,
    telemetry: 'off',
  })
  const payments = weir.dependency('payments')
  const connection = new Redis({ path: process.env.REDIS_SOCKET ?? '', maxRetriesPerRequest: null })
  const queue = new Queue<DeferredCall>(QUEUE, { connection })
  const kept = deferToBullMq(queue, { job: JOB })

  // The queue repeats what fails here, so the call does not: one layer retries, and the budget is for those who wait.
  const settle = ({ idempotencyKey }: DeferredCall): Promise<unknown> =>
    weir
      .gate('checkout')
      .run({ criticality: 'sheddable', deadlineMs: 3_000 }, () => payments.call((one) => attempt(idempotencyKey, one)))
  new Worker<DeferredCall>(QUEUE, ({ data }) => settle(data), { connection, ...PACE }).on('error', () => undefined)

  return {
    weir,
    pay: (payment) =>
      payments.call<'paid' | 'deferred'>((one) => attempt(payment, one), {
        idempotencyKey: payment,
        fallbackMs: 2_000,
        fallback: deferWrite(
          kept,
          { dependency: 'payments', payload: { payment }, idempotencyKey: payment },
          'deferred' as const,
        ),
      }),
  }
}
