import type { ThrottlePolicy } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'
import { RollingWindow } from './window.ts'

/** The book's two minutes (Google SRE, "Handling overload"). */
const WINDOW_MS = 120_000
const SLOTS = 24
const REQUESTS = 0
const ACCEPTS = 1

/** `max(0, (requests - k * accepts) / (requests + 1))`, at most `cap`, so that a trickle always probes. */
export const rejectProbability = (requests: number, accepts: number, k: number, cap: number): number =>
  Math.min(cap, Math.max(0, (requests - k * accepts) / (requests + 1)))

/** Adaptive client throttling: refuses locally in proportion to what the callee does not accept. Local refusals count as requests. */
export class Throttle {
  readonly #window: RollingWindow

  constructor(now: number) {
    this.#window = new RollingWindow(WINDOW_MS, SLOTS, 2, now)
  }

  /** An attempt was answered, or refused, by the callee. One whose caller left is not recorded. */
  record(now: number, accepted: boolean): void {
    this.#window.add(now, REQUESTS, 1)
    if (accepted) this.#window.add(now, ACCEPTS, 1)
  }

  refuses(now: number, policy: ThrottlePolicy, random: Random): boolean {
    const requests = this.#window.sum(now, REQUESTS)
    if (requests < policy.minimumVolume) return false
    const probability = rejectProbability(requests, this.#window.sum(now, ACCEPTS), policy.k, policy.cap)
    return probability > 0 && random() < probability
  }
}
