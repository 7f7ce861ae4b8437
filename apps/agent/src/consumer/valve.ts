/** Times the gate's limit: at so many messages held fetching stops, and it goes on when fewer than the limit are. */
const STOP_AT = 2

/** Stops and resumes fetching with hysteresis, so that it does not flap around one threshold. */
export class Valve {
  #open = true

  get open(): boolean {
    return this.#open
  }

  /** `held`: running and in hand. True where it moved. */
  look(held: number, limit: number): boolean {
    const open = this.#open ? held < STOP_AT * limit : held < limit
    const moved = open !== this.#open
    this.#open = open
    return moved
  }
}
