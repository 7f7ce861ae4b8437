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
  /** Of a slot that is in another turn: an ending after the ending. */
  end(slot: number, turn: number, ending: number): void
  cancel(slot: number): void
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
    return SlotPermit.#aborting(this).signal
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
    SlotPermit.#end(this, SUCCESS)
  }

  failure(): void {
    SlotPermit.#end(this, FAILURE)
  }

  dropped(): void {
    SlotPermit.#end(this, DROPPED)
  }

  ignored(): void {
    SlotPermit.#end(this, IGNORED_ENDING)
  }

  cancel(): void {
    if (!this.live || this.#controller?.signal.aborted) return
    this.#desk.cancel(this.#slot)
    SlotPermit.#aborting(this).abort()
  }

  // Static: private methods of its own would cost every permit a word.
  static #aborting(permit: SlotPermit): AbortController {
    if (permit.#controller === undefined) {
      permit.#controller = new AbortController()
      if (permit.live) permit.#desk.watch(permit.#slot, permit.#controller)
    }
    return permit.#controller
  }

  static #end(permit: SlotPermit, ending: number): void {
    const slot = permit.#slot
    permit.#slot = -1
    permit.#desk.end(slot, permit.#turn, ending)
  }
}
