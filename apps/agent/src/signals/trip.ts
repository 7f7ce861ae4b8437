import type { Threshold } from '@weir/policy/model'

/** Samples in a row that it takes to change. */
const CONFIRM = 2

/** One signal against its thresholds: open after two samples in a row at or above `open`, closed after two at or below `close`, or unknown. */
export class Trip {
  open = false
  /** Whether the last sample was at or above the opening threshold. */
  high = false
  #against = 0

  /** NaN: unknown. */
  sample(value: number, { open, close }: Threshold): void {
    this.high = value >= open
    const against = this.open ? !(value > close) : this.high
    this.#against = against ? this.#against + 1 : 0
    if (this.#against < CONFIRM) return
    this.open = !this.open
    this.#against = 0
  }
}
