import { AsyncLocalStorage } from 'node:async_hooks'
import type { Criticality } from '@weir/policy/model'
import { currentContext, runInContext, type WorkContext } from '../core/context.ts'
import { FreePermit } from './free-permit.ts'
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

/** What is still held: work that its predecessor started, and that starts its successor, must not lengthen the chain for ever. */
const holding = (): Held | undefined => {
  let held = storage.getStore()
  while (held && !held.permit.live) held = held.outer
  return held
}

/** Runs `fn` as part of the work: the gate is held, and calls to others find what travels with them. */
export const runAs = <T>(owner: object, permit: Permit, context: WorkContext, fn: () => T): T =>
  storage.run({ owner, permit, outer: holding() }, () => runInContext(context, fn))

/** The work that is running around; work that has ended has left its deadline behind. */
const around = (): WorkContext | undefined => {
  let context = currentContext()
  while (context instanceof AcceptedWork && context.over) context = context.outer
  return context
}

/** Accepted work inside what is still running: the shorter deadline wins, retries are summed in the outermost. */
export class AcceptedWork implements WorkContext {
  readonly deadlineAt: number
  readonly criticality: Criticality
  readonly tenant: string | null
  readonly attempt: number
  readonly traceparent: string | null
  readonly #permit: Permit
  readonly #outer = around()
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

  get outer(): WorkContext | undefined {
    return this.#outer
  }

  get over(): boolean {
    return this.#permit instanceof FreePermit ? this.#permit.ended : !this.#permit.live
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
