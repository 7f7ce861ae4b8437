/** What one key may send, and what it may cost: of each a burst of so many seconds, then so much a second. */
const BOUNDS = {
  /** A fleet of 500 instances that exports each second is well inside. */
  requests: 1_000,
  /** Of inflated bodies. */
  bytes: 16_777_216,
  /** Milliseconds in which reading its figures keeps this thread from everybody else: 40 % of the time. */
  busyMs: 400,
}
const BURST_SECONDS = 2
type Bounds = typeof BOUNDS
const KINDS = Object.keys(BOUNDS) as readonly (keyof Bounds)[]
/** Keys that are remembered; to be forgotten means a full burst. */
const MAX_KEYS = 10_000

interface Buckets extends Bounds {
  atMs: number
}

/**
 * Token buckets of each key. What a request holds and costs is known when it was read: it is owed, and the next one waits for it. So that a
 * sender that never stops takes from itself.
 */
export class KeyRate {
  /** Requests that had to wait, since the start. */
  refused = 0
  readonly #keys = new Map<string, Buckets>()
  readonly #bounds: Bounds

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds }
  }

  /** 0: go on. Else whole seconds after which the key may. `nowMs`: monotonic. */
  take(keyId: string, nowMs: number): number {
    const buckets = this.#keys.get(keyId) ?? this.#add(keyId, nowMs)
    const seconds = Math.max(0, nowMs - buckets.atMs) / 1000
    buckets.atMs = nowMs
    for (const kind of KINDS) {
      const perSecond = this.#bounds[kind]
      buckets[kind] = Math.min(perSecond * BURST_SECONDS, buckets[kind] + seconds * perSecond)
    }
    const { requests, bytes, busyMs } = this.#bounds
    const wait = Math.max((1 - buckets.requests) / requests, -buckets.bytes / bytes, -buckets.busyMs / busyMs)
    if (wait > 0) {
      this.refused++
      return Math.ceil(wait)
    }
    buckets.requests -= 1
    return 0
  }

  charge(keyId: string, bytes: number, busyMs: number): void {
    const buckets = this.#keys.get(keyId)
    if (buckets === undefined) return
    buckets.bytes -= bytes
    buckets.busyMs -= busyMs
  }

  #add(keyId: string, nowMs: number): Buckets {
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    const { requests, bytes, busyMs } = this.#bounds
    const buckets = {
      requests: requests * BURST_SECONDS,
      bytes: bytes * BURST_SECONDS,
      busyMs: busyMs * BURST_SECONDS,
      atMs: nowMs,
    }
    this.#keys.set(keyId, buckets)
    return buckets
  }
}
