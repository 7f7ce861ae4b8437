import { REFUSAL_SIGNALS, type RefusalSignal } from '@weir/policy/model'

const ELSEWHERE = REFUSAL_SIGNALS.indexOf('elsewhere')
const AFTERWARDS = REFUSAL_SIGNALS.indexOf('later')
const STOPPED = REFUSAL_SIGNALS.indexOf('stop')

/** The histogram of attempts is looked at this often, and what it holds then counts this much less: a window of about ten seconds. */
const LOOK_MS = 1_000
const KEPT = 0.9
/** Below so many in the window nothing is concluded. */
const ENOUGH = 20
/**
 * Shares of work past its first attempt. A caller that keeps to a budget of 10 % retries can show at most 1/11: from half of that on the other
 * replicas refuse as well, so that another attempt finds the same pool. Past 1/6, which no budget of 20 % can show, retries are the load.
 */
const LATER = { open: 0.05, close: 0.025 }
const STOP = { open: 1 / 6, close: 0.1 }

/**
 * The collective signal: which attempt the work is on that trusted callers send tells whether this replica is short or the pool is. What a refusal
 * for want of room says turns from `elsewhere` to `later`, then `stop`, and back, each with a threshold of its own.
 */
export class Attempts {
  /** What a refusal for want of room says at present, by its number. */
  said = ELSEWHERE
  #first = 0
  #again = 0
  /** When the next look is due. */
  lookAtMs = 0

  get signal(): RefusalSignal {
    return REFUSAL_SIGNALS[this.said] ?? 'elsewhere'
  }

  /** Work of a trusted caller. An attempt that is none counts as the first. */
  count(attempt: number | undefined): void {
    if (attempt !== undefined && attempt > 1) this.#again++
    else this.#first++
  }

  look(nowMs: number): void {
    if (nowMs < this.lookAtMs) return
    this.said = signalOf(this.#again, this.#first + this.#again, this.said)
    const looks = Math.min(100, 1 + Math.floor((nowMs - this.lookAtMs) / LOOK_MS))
    this.#first *= KEPT ** looks
    this.#again *= KEPT ** looks
    this.lookAtMs = nowMs + LOOK_MS
  }
}

const signalOf = (again: number, all: number, before: number): number => {
  if (all < ENOUGH) return ELSEWHERE
  const share = again / all
  if (share > (before === STOPPED ? STOP.close : STOP.open)) return STOPPED
  return share >= (before === ELSEWHERE ? LATER.open : LATER.close) ? AFTERWARDS : ELSEWHERE
}
