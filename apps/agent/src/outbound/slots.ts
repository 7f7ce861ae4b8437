/**
 * The ceiling on calls in flight, nobody waits: `inUse` = running + zombies. A zombie is a call that is over for its caller while its attempt
 * still runs; it keeps its slot, for the callee is still busy with it.
 */
export class Slots {
  #inUse = 0
  #zombies = 0

  get inUse(): number {
    return this.#inUse
  }

  get zombies(): number {
    return this.#zombies
  }

  tryAcquire(ceiling: number): boolean {
    if (this.#inUse >= ceiling) return false
    this.#inUse++
    return true
  }

  release(): void {
    this.#inUse--
  }

  toZombie(): void {
    this.#zombies++
  }

  releaseZombie(): void {
    this.#zombies--
    this.#inUse--
  }
}
