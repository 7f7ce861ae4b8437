/** A connection pool as most services have one: a fixed number of connections, and a queue in front of them that nobody bounded. */
export class Pool {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(connections: number) {
    this.#free = connections
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
