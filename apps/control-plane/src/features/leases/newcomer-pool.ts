/** Of the quota, while agents join, and while none did for a while. */
const CHURNING_SHARE = 0.02
const CALM_SHARE = 0.005

/**
 * What is held back for agents that hold nothing: one that joins, or that wakes up, is given some of it with its first answer, and need not wait until
 * the others' leases have shrunk. Larger while agents join; one unit at least where that is a small part.
 */
export class NewcomerPool {
  #lastMs = Number.NEGATIVE_INFINITY

  joined(nowMs: number): void {
    this.#lastMs = nowMs
  }

  units(capacity: number, nowMs: number, memoryMs: number): number {
    const share = nowMs - this.#lastMs < memoryMs ? CHURNING_SHARE : CALM_SHARE
    return Math.floor(capacity * share)
  }
}
