import type { Permit } from '../../admission/work.ts'
import type { Ending } from './outcome.ts'
import { endAfter, thisTurn } from './turn.ts'

/**
 * One admitted request from its permit to its end. The slot is free only when the response *and* the handler have ended: a response that is over while the
 * handler still works holds it, and after the caller left that is a zombie.
 */
export class Handling {
  readonly #permit: Permit
  readonly #began = thisTurn()
  /** `silent`: nothing is seen of its own end, so its answer stands for it. */
  #handler: 'silent' | 'runs' | 'ended' = 'silent'
  #response: 'runs' | 'lost' | Ending = 'runs'
  #answered = false
  #settled = false
  #bodyFailed = false

  constructor(permit: Permit) {
    this.#permit = permit
  }

  get permit(): Permit {
    return this.#permit
  }

  /** The caller left before the response was complete. */
  get lost(): boolean {
    return this.#response === 'lost'
  }

  /** From here on the handler tells its own end, or defers it. */
  handlerStarted(): void {
    if (this.#handler === 'silent') this.#handler = 'runs'
  }

  /** It returned nothing: it has answered, or answers later by other means. */
  handlerDeferred(): void {
    if (this.#answered) this.handlerEnded()
    else this.#handler = 'silent'
  }

  /** The body's own source failed: the connection will break from our side. */
  bodyFails(): void {
    this.#bodyFailed = true
  }

  /** The handler's own promise settled, or it returned its answer. */
  handlerEnded(): void {
    this.#handler = 'ended'
    this.#settle()
  }

  /** An answer is on its way: the end of all work where no handler's own end will be seen. */
  answered(): void {
    this.#answered = true
    if (this.#handler === 'silent') this.handlerEnded()
  }

  responseEnded(ending: Ending): void {
    this.#response = ending
    if (this.#handler === 'silent') this.#handler = 'ended'
    this.#settle()
  }

  /** `answerGiven`: a silent handler has nothing more to say. */
  responseLost(answerGiven: boolean): void {
    this.#response = 'lost'
    if (!this.#bodyFailed) this.#permit.cancel()
    if (answerGiven && this.#handler === 'silent') this.#handler = 'ended'
    this.#settle()
  }

  #settle(): void {
    if (this.#settled || this.#response === 'runs' || this.#handler !== 'ended') return
    this.#settled = true
    const lostAs = this.#bodyFailed ? 'failure' : 'ignored'
    const ending = this.#response === 'lost' ? lostAs : this.#response
    endAfter(this.#began, () => this.#permit[ending]())
  }
}
