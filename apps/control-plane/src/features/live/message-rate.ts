/**
 * Token bucket over one socket's messages: at most `perSecond` averaged over `windowMs`.
 * A burst of one whole window is allowed, because a peer that was paused sends what it kept at once.
 */
export class MessageRate {
  private tokens: number
  private last: number | null = null

  constructor(
    private readonly perSecond: number,
    private readonly windowMs: number,
  ) {
    this.tokens = this.capacity
  }

  /** False: one message too many. A clock that stands still or steps back refills nothing. */
  take(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - (this.last ?? nowMs))
    this.last = nowMs
    this.tokens = Math.min(this.capacity, this.tokens + (elapsedMs * this.perSecond) / 1000)
    if (this.tokens < 1) return false
    this.tokens -= 1
    return true
  }

  /** Nothing was taken for so long that forgetting it changes nothing. */
  isFull(nowMs: number): boolean {
    return this.last === null || this.tokens + (Math.max(0, nowMs - this.last) * this.perSecond) / 1000 >= this.capacity
  }

  private get capacity(): number {
    return (this.perSecond * this.windowMs) / 1000
  }
}
