import type { Permit } from './work.ts'

/** How a permit ends: the outcome for the books and the lesson for the limit. */
export const SUCCESS = 0
export const FAILURE = 1
export const DROPPED = 2
export const IGNORED_ENDING = 3

/** Where permits end. */
export interface PermitDesk {
  end(slot: number, ending: number): void
  cancel(slot: number): void
  /** An ending after the ending. */
  again(): void
  remainingMs(slot: number): number
  deadlineAt(slot: number): number
  isDegraded(slot: number): boolean
  klass(slot: number): number
}

/** The permit of one slot: two words and, where asked for, an abort controller. */
export class SlotPermit implements Permit {
  readonly #desk: PermitDesk
  /** -1 once it has ended. */
  #slot: number
  #controller: AbortController | undefined = undefined

  constructor(desk: PermitDesk, slot: number) {
    this.#desk = desk
    this.#slot = slot
  }

  get accepted(): true {
    return true
  }

  get degraded(): boolean {
    return this.#slot >= 0 && this.#desk.isDegraded(this.#slot)
  }

  /** The class that it runs in; -1 once it has ended. */
  get klass(): number {
    return this.#slot < 0 ? -1 : this.#desk.klass(this.#slot)
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get remainingMs(): number {
    return this.#slot < 0 ? 0 : this.#desk.remainingMs(this.#slot)
  }

  /** Of the gate's clock, milliseconds; 0 once it has ended. */
  get deadlineAt(): number {
    return this.#slot < 0 ? 0 : this.#desk.deadlineAt(this.#slot)
  }

  get live(): boolean {
    return this.#slot >= 0
  }

  success(): void {
    this.#end(SUCCESS)
  }

  failure(): void {
    this.#end(FAILURE)
  }

  dropped(): void {
    this.#end(DROPPED)
  }

  ignored(): void {
    this.#end(IGNORED_ENDING)
  }

  cancel(): void {
    if (this.#slot < 0 || this.#controller?.signal.aborted) return
    this.#desk.cancel(this.#slot)
    this.#controller ??= new AbortController()
    this.#controller.abort()
  }

  /** The gate takes the slot back from a host that forgot it. Its work, if it still runs, is told to stop. */
  revoke(): void {
    this.#slot = -1
    this.#controller?.abort()
  }

  #end(ending: number): void {
    const slot = this.#slot
    this.#slot = -1
    if (slot < 0) this.#desk.again()
    else this.#desk.end(slot, ending)
  }
}
