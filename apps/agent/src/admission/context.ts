import type { Criticality } from '@weir/policy/model'
import { currentContext, currentScope, Scope, type WorkContext } from '../core/context.ts'
import { FreePermit } from './free-permit.ts'
import type { Permit, Work } from './work.ts'

/** The permit by which the running code already holds a gate. */
export const heldPermit = (owner: object): Permit | undefined => {
  for (let scope = currentScope(); scope; scope = scope.outer) {
    if (scope instanceof AcceptedWork && scope.owner === owner && scope.permit.live) return scope.permit
  }
  return undefined
}

/** The work that is running around; work that has ended has left its deadline behind, and is let go wherever it stands in between. */
const around = (): WorkContext | undefined => {
  const context = currentContext()
  const nearest = context instanceof AcceptedWork && context.over ? context.around : context
  for (let next = nearest; next instanceof AcceptedWork; next = next.around);
  return nearest
}

/** Accepted work inside what is still running: the shorter deadline wins, retries are summed in the outermost. Its gate, the owner, is held within. */
export class AcceptedWork extends Scope implements WorkContext {
  readonly owner: object
  readonly permit: Permit
  readonly deadlineAt: number
  readonly criticality: Criticality
  readonly tenant: string | null
  readonly attempt: number
  readonly traceparent: string | null
  #around: WorkContext | undefined
  /** The outermost when it began, which sums the retries; `undefined`: itself. */
  readonly #outermost: WorkContext | undefined
  #retried = 0

  constructor(
    owner: object,
    permit: Permit,
    deadlineAt: number,
    criticality: Criticality,
    { tenant, attempt }: Work,
    traceparent: string | undefined,
  ) {
    super()
    const outside = around()
    this.owner = owner
    this.permit = permit
    this.#around = outside
    this.#outermost = outside instanceof AcceptedWork ? (outside.#outermost ?? outside) : outside
    this.deadlineAt = Math.min(deadlineAt, outside?.deadlineAt ?? Number.POSITIVE_INFINITY)
    this.criticality = criticality
    this.tenant = tenant ?? outside?.tenant ?? null
    this.attempt = attempt ?? outside?.attempt ?? 1
    this.traceparent = traceparent ?? outside?.traceparent ?? null
  }

  get context(): WorkContext {
    return this
  }

  /** The nearest around it that still runs. */
  get around(): WorkContext | undefined {
    let context = this.#around
    while (context instanceof AcceptedWork && context.over) context = context.#around
    this.#around = context
    return context
  }

  get needed(): boolean {
    return !this.over
  }

  get over(): boolean {
    return this.permit instanceof FreePermit ? this.permit.ended : !this.permit.live
  }

  get signal(): AbortSignal {
    return this.permit.signal
  }

  get retried(): number {
    return this.#outermost ? this.#outermost.retried : this.#retried
  }

  set retried(count: number) {
    if (this.#outermost) this.#outermost.retried = count
    else this.#retried = count
  }
}
