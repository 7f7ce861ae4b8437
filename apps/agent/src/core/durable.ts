/** A durable queue: pg-boss, BullMQ, a table, a topic. */
export interface DurableQueue<W> {
  /**
   * Resolves once the work is durable, which is what its caller is then told: not before. Rejects, or is aborted by `signal`, where it is not; work
   * that becomes durable after an abort is done although its caller was told to come again, so it must be idempotent.
   */
  enqueue(work: W, signal: AbortSignal): Promise<void>
}
