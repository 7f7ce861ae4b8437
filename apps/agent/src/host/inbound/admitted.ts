import { AsyncLocalStorage } from 'node:async_hooks'
import type { Permit } from '../../admission/work.ts'
import { currentContext, type WorkContext } from '../../core/context.ts'
import { Handling } from './handling.ts'
import type { InboundGate, RequestWeir } from './options.ts'
import type { Told } from './reader.ts'

/** One request that was let in. */
export class Admitted implements RequestWeir {
  readonly entry: Permit
  readonly handling: Handling
  readonly #trusted: boolean
  /** What travels with the work; `undefined` where the gate is off. */
  readonly #context: WorkContext | undefined
  readonly #within: <T>(fn: () => T) => T

  constructor(gate: InboundGate, { work, trusted }: Told, entry: Permit) {
    this.entry = entry
    this.handling = new Handling(entry)
    this.#trusted = trusted
    const [context, within] = gate.within(work, entry, () => [currentContext(), AsyncLocalStorage.snapshot()] as const)
    this.#context = context
    this.#within = within
  }

  get degraded(): boolean {
    return this.entry.degraded
  }

  get remainingMs(): number {
    return this.entry.remainingMs
  }

  /** How often layers below retried, where the caller may know; else 0. */
  get retried(): number {
    return this.#trusted ? (this.#context?.retried ?? 0) : 0
  }

  within<T>(fn: () => T): T {
    return this.#within(fn)
  }
}
