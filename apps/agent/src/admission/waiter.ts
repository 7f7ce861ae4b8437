import type { Tenant } from './tenant.ts'
import type { Entry } from './work.ts'

/** Work in the queue. Its times are fixed when it enters, but for a policy that changes the longest wait. */
export class Waiter {
  readonly tenant: Tenant
  readonly klass: number
  readonly cost: number
  readonly arrivedMs: number
  readonly deadlineMs: number
  readonly route: string | undefined
  readonly settle: (entry: Entry) => void
  /** The earlier of its longest wait and its deadline. */
  expiresMs = 0
  /** Half of what it may wait is over: from here on its class may pass higher ones. */
  agedMs = 0
  place = -1
  /** In its tenant's flow. */
  next: Waiter | undefined = undefined
  previous: Waiter | undefined = undefined
  /** In its class, by arrival. */
  younger: Waiter | undefined = undefined
  older: Waiter | undefined = undefined
  /** Is deferred, where it can be, instead of refused. */
  deferrable = false
  signal: AbortSignal | undefined = undefined
  onAbort: (() => void) | undefined = undefined

  constructor(
    tenant: Tenant,
    klass: number,
    cost: number,
    arrivedMs: number,
    deadlineMs: number,
    route: string | undefined,
    settle: (entry: Entry) => void,
  ) {
    this.tenant = tenant
    this.klass = klass
    this.cost = cost
    this.arrivedMs = arrivedMs
    this.deadlineMs = deadlineMs
    this.route = route
    this.settle = settle
  }

  mayWait(maxWaitMs: number): void {
    this.expiresMs = Math.min(this.arrivedMs + maxWaitMs, this.deadlineMs)
    this.agedMs = (this.arrivedMs + this.expiresMs) / 2
  }
}
