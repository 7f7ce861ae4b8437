import { AsyncLocalStorage } from 'node:async_hooks'
import type { Criticality } from '@weir/policy/model'

/** What travels with one piece of inbound work through this process, and onwards with every call that it makes. */
export interface WorkContext {
  /** When its caller stops waiting, on the runtime's clock, milliseconds; Infinity = never. */
  readonly deadlineAt: number
  readonly criticality: Criticality | null
  readonly tenant: string | null
  /** Which attempt of an upper layer this is; 1 where the caller is not taken at its word. */
  readonly attempt: number
  /** Aborts when the caller leaves; `null` where the host cannot tell. */
  readonly signal: AbortSignal | null
  /** W3C trace context of the work, for the spans of its calls. */
  readonly traceparent?: string | null
  /**
   * Retries sent below on behalf of this work, those of lower layers included, and one for each that was decided against for good. The host answers
   * it as `weir-retried`: a layer above that sees more than 0 does not retry.
   */
  retried: number
}

const storage = new AsyncLocalStorage<WorkContext>()

/** Runs `work` on behalf of `context`; everything asynchronous that it starts belongs to it too. */
export const runInContext = <T>(context: WorkContext, work: () => T): T => storage.run(context, work)

/** The inbound work that is being done here and now. */
export const currentContext = (): WorkContext | undefined => storage.getStore()
