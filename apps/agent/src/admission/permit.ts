import type { Permit } from './work.ts'

/** How a permit ends: the outcome for the books and the lesson for the limit. */
export const SUCCESS = 0
export const FAILURE = 1
export const DROPPED = 2
export const IGNORED_ENDING = 3

/** Where permits end. */
export interface PermitDesk {
  /** Whether the slot is still in the turn that the permit was made in. */
  holds(slot: number, turn: number): boolean
  end(slot: number, ending: number): void
  cancel(slot: number): void
  /** An ending after the ending. */
  again(): void
  /** Aborted when the gate takes the slot back from a host that forgot it: its work, if it still runs, is told to stop. */
  watch(slot: number, controller: AbortController): void
  remainingMs(slot: number): number
  deadlineAt(slot: number): number
  isDegraded(slot: number): boolean
  klass(slot: number): number
}

/** The permit of one slot: small, because one is made for each piece of work, and never used again, because its holder may keep it. */
export class SlotPermit implements Permit {
  readonly #desk: PermitDesk
  /** -1 once it has ended. */
  #slot: number
  readonly #turn: number
  #controller: AbortController | undefined = undefined

  constructor(desk: PermitDesk, slot: number, turn: number) {
    this.#desk = desk
    this.#slot = slot
    this.#turn = turn
  }

  get accepted(): true {
    return true
  }

  get degraded(): boolean {
    return this.live && this.#desk.isDegraded(this.#slot)
  }

  /** The class that it runs in; -1 once it has ended. */
  get klass(): number {
    return this.live ? this.#desk.klass(this.#slot) : -1
  }

  get signal(): AbortSignal {
    return this.#aborting().signal
  }

  get remainingMs(): number {
    return this.live ? this.#desk.remainingMs(this.#slot) : 0
  }

  /** Of the gate's clock, milliseconds; 0 once it has ended. */
  get deadlineAt(): number {
    return this.live ? this.#desk.deadlineAt(this.#slot) : 0
  }

  get live(): boolean {
    return this.#slot >= 0 && this.#desk.holds(this.#slot, this.#turn)
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
    if (!this.live || this.#controller?.signal.aborted) return
    this.#desk.cancel(this.#slot)
    this.#aborting().abort()
  }

  #aborting(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.live) this.#desk.watch(this.#slot, this.#controller)
    }
    return this.#controller
  }

  #end(ending: number): void {
    const slot = this.#slot
    this.#slot = -1
    if (slot >= 0 && this.#desk.holds(slot, this.#turn)) this.#desk.end(slot, ending)
    else this.#desk.again()
  }
}
