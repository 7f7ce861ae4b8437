/** Does one thing again and again, never twice at a time: a beat that comes while the last one still runs is left out. */
export class Pulse {
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | null = null

  constructor(everyMs: number, work: () => Promise<void>, failed: (error: unknown) => void) {
    const beat = () => {
      this.#running ??= work()
        .catch(failed)
        .finally(() => {
          this.#running = null
        })
    }
    this.#timer = setInterval(beat, everyMs)
    this.#timer.unref()
    beat()
  }

  /** Resolves when the last beat is over. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
