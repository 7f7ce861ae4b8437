/** Durations, milliseconds, kept one by one: percentiles are exact. */
export class Latencies {
  #values = new Float64Array(1_024)
  #size = 0

  add(ms: number): void {
    if (this.#size === this.#values.length) {
      const wider = new Float64Array(this.#size * 2)
      wider.set(this.#values)
      this.#values = wider
    }
    this.#values[this.#size++] = ms
  }

  /** `null`: nothing was measured. */
  percentiles(): { p50: number; p90: number; p99: number } | null {
    if (this.#size === 0) return null
    const sorted = this.#values.slice(0, this.#size).sort()
    const at = (q: number) => sorted[Math.min(this.#size - 1, Math.ceil(q * this.#size) - 1)] as number
    return { p50: at(0.5), p90: at(0.9), p99: at(0.99) }
  }
}
