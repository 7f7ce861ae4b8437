import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** One request for a socket that waits for its turn. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly sinceMs: number
}

export interface LineBounds {
  /** Taken in one turn of the event loop; between two turns everything else has its own. */
  readonly perTurn: number
  /** More are refused. */
  readonly waiting: number
  /** Whoever waited longer is refused: a peer gives a handshake up before long, and its work would be for nothing. */
  readonly waitMs: number
}

/**
 * Requests for sockets, in the order they came, a few in each turn of the event loop: a whole fleet that comes back at once waits here, not in front of
 * what the sockets that are open already need.
 */
export class UpgradeLine {
  private readonly waiting = new Set<Upgrade>()
  private running = false

  constructor(
    private readonly take: (upgrade: Upgrade) => void,
    private readonly tooLate: (upgrade: Upgrade) => void,
    private readonly bounds: LineBounds,
    private readonly nowMs: () => number,
  ) {}

  get length(): number {
    return this.waiting.size
  }

  /** False: there is no room. */
  join(upgrade: Omit<Upgrade, 'sinceMs'>): boolean {
    if (this.length >= this.bounds.waiting) return false
    this.waiting.add({ ...upgrade, sinceMs: this.nowMs() })
    if (!this.running) {
      this.running = true
      setImmediate(this.turn)
    }
    return true
  }

  private readonly turn = (): void => {
    let left = this.bounds.perTurn
    for (const upgrade of this.waiting) {
      if (left === 0) break
      this.waiting.delete(upgrade)
      if (upgrade.socket.destroyed) continue
      if (this.nowMs() - upgrade.sinceMs > this.bounds.waitMs) this.tooLate(upgrade)
      else this.take(upgrade)
      left--
    }
    this.running = this.length > 0
    if (this.running) setImmediate(this.turn)
  }
}
