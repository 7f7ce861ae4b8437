/** Probes come one at a time: more at once are a flood in a probe's clothes, and queue like everybody. */
const MAX_AT_ONCE = 16

/** The small ceiling of work that passes the gate by. */
export class Probes {
  #running = 0

  /** Whether one more may pass; then `leave` is due at its end. */
  enter(): boolean {
    if (this.#running >= MAX_AT_ONCE) return false
    this.#running++
    return true
  }

  leave(): void {
    this.#running--
  }
}
