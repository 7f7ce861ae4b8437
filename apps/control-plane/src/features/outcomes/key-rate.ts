/** What one key may send. */
interface Bounds {
  readonly requestsPerSecond: number
  /** Of inflated bodies. */
  readonly bytesPerSecond: number
  readonly burstSeconds: number
}

/** A fleet of 500 instances that exports each second is well inside. */
const BOUNDS: Bounds = { requestsPerSecond: 1_000, bytesPerSecond: 16_777_216, burstSeconds: 2 }
/** Keys that are remembered; to be forgotten means a full burst. */
const MAX_KEYS = 10_000

interface Buckets {
  requests: number
  bytes: number
  atMs: number
}

/** Token buckets of requests and of bytes for each key. Bytes are known when a body was read: they are owed, and the next request waits for it. */
export class KeyRate {
  readonly #keys = new Map<string, Buckets>()
  readonly #bounds: Bounds

  constructor(bounds: Bounds = BOUNDS) {
    this.#bounds = bounds
  }

  /** 0: go on. Else whole seconds after which the key may. `nowMs`: monotonic. */
  take(keyId: string, nowMs: number): number {
    const { requestsPerSecond, bytesPerSecond, burstSeconds } = this.#bounds
    const buckets = this.#keys.get(keyId) ?? this.#add(keyId, nowMs)
    const seconds = Math.max(0, nowMs - buckets.atMs) / 1000
    buckets.atMs = nowMs
    buckets.requests = Math.min(requestsPerSecond * burstSeconds, buckets.requests + seconds * requestsPerSecond)
    buckets.bytes = Math.min(bytesPerSecond * burstSeconds, buckets.bytes + seconds * bytesPerSecond)
    const wait = Math.max((1 - buckets.requests) / requestsPerSecond, -buckets.bytes / bytesPerSecond)
    if (wait > 0) return Math.ceil(wait)
    buckets.requests -= 1
    return 0
  }

  charge(keyId: string, bytes: number): void {
    const buckets = this.#keys.get(keyId)
    if (buckets !== undefined) buckets.bytes -= bytes
  }

  #add(keyId: string, nowMs: number): Buckets {
    const { requestsPerSecond, bytesPerSecond, burstSeconds } = this.#bounds
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    const buckets = { requests: requestsPerSecond * burstSeconds, bytes: bytesPerSecond * burstSeconds, atMs: nowMs }
    this.#keys.set(keyId, buckets)
    return buckets
  }
}
