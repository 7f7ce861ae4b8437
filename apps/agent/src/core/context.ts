import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
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

/**
 * Where the running code is: in the work of a context, inside of what it is part of. All that the agent keeps in the async context is in this one store,
 * because each store that is entered copies the others.
 */
export abstract class Scope {
  abstract readonly context: WorkContext
  #outer: Scope | undefined = nearestNeeded()

  /** The nearest around it that is still needed. */
  get outer(): Scope | undefined {
    let scope = this.#outer
    while (scope && !scope.needed) scope = scope.#outer
    this.#outer = scope
    return scope
  }

  /** Whether the scopes within must still find it. */
  abstract readonly needed: boolean
}

class Borrowed extends Scope {
  readonly context: WorkContext

  constructor(context: WorkContext) {
    super()
    this.context = context
  }

  get needed(): boolean {
    return false
  }
}

const storage = new AsyncLocalStorage<Scope>()

/** A scope that begins inside of many that are over, or will be, must not lengthen the chain for ever: those that are over are let go. */
function nearestNeeded(): Scope | undefined {
  const scope = storage.getStore()
  const nearest = scope && !scope.needed ? scope.outer : scope
  for (let around = nearest; around; around = around.outer);
  return nearest
}

const enterAndRun = <T>(scope: Scope, work: () => T): T => {
  storage.enterWith(scope)
  return work()
}

/** Runs `work` in the scope; everything asynchronous that it starts is in it too. As `storage.run`, whose way back out costs as much as its way in. */
export const runInScope = <T>(scope: Scope, work: () => T): T =>
  new AsyncResource('weir').runInAsyncScope(enterAndRun<T>, undefined, scope, work)

export const currentScope = (): Scope | undefined => storage.getStore()

/** Runs `work` on behalf of `context`; everything asynchronous that it starts belongs to it too. */
export const runInContext = <T>(context: WorkContext, work: () => T): T => runInScope(new Borrowed(context), work)

/** The inbound work that is being done here and now. */
export const currentContext = (): WorkContext | undefined => storage.getStore()?.context
