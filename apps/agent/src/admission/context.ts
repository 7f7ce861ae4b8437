import { AsyncLocalStorage } from 'node:async_hooks'
import type { Criticality } from '@weir/policy/model'
import { currentContext, runInContext, type WorkContext } from '../core/context.ts'
import type { Permit, Work } from './work.ts'

interface Held {
  readonly owner: object
  readonly permit: Permit
  readonly outer: Held | undefined
}

const storage = new AsyncLocalStorage<Held>()

/** The permit by which the running code already holds a gate. */
export const heldPermit = (owner: object): Permit | undefined => {
  for (let held = storage.getStore(); held; held = held.outer) {
    if (held.owner === owner && held.permit.live) return held.permit
  }
  return undefined
}

/** Runs `fn` as part of the work: the gate is held, and calls to others find what travels with them. */
export const runAs = <T>(owner: object, permit: Permit, context: WorkContext, fn: () => T): T =>
  storage.run({ owner, permit, outer: storage.getStore() }, () => runInContext(context, fn))

/** Accepted work inside what was already running: the shorter deadline wins, retries are summed in the outermost. */
export class AcceptedWork implements WorkContext {
  readonly deadlineAt: number
  readonly criticality: Criticality
  readonly tenant: string | null
  readonly attempt: number
  readonly traceparent: string | null
  readonly #permit: Permit
  readonly #outer = currentContext()
  #retried = 0

  constructor(
    permit: Permit,
    deadlineAt: number,
    criticality: Criticality,
    { tenant, attempt }: Work,
    traceparent: string | undefined,
  ) {
    this.#permit = permit
    this.deadlineAt = Math.min(deadlineAt, this.#outer?.deadlineAt ?? Number.POSITIVE_INFINITY)
    this.criticality = criticality
    this.tenant = tenant ?? this.#outer?.tenant ?? null
    this.attempt = attempt ?? this.#outer?.attempt ?? 1
    this.traceparent = traceparent ?? this.#outer?.traceparent ?? null
  }

  get signal(): AbortSignal {
    return this.#permit.signal
  }

  get retried(): number {
    return this.#outer ? this.#outer.retried : this.#retried
  }

  set retried(count: number) {
    if (this.#outer) this.#outer.retried = count
    else this.#retried = count
  }
}
