/** What a heap orders, and where it keeps each item's place, so that any item can be taken out. */
export interface Heaped {
  readonly expiresMs: number
  place: number
}

/** Binary heap, the earliest to expire on top. Every item may be removed: O(log n). */
export class ExpiryHeap<T extends Heaped> {
  readonly #items: T[] = []

  get top(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    this.#items.push(item)
    this.#up(item, this.#items.length - 1)
  }

  remove(item: T): void {
    const last = this.#items.pop()
    const place = item.place
    item.place = -1
    if (last === undefined || last === item) return
    this.#down(last, place)
    this.#up(last, last.place)
  }

  /** Puts all in order again after their times changed: O(n). */
  rebuild(): void {
    for (let place = (this.#items.length >>> 1) - 1; place >= 0; place--) {
      const item = this.#items[place]
      if (item) this.#down(item, place)
    }
  }

  #up(item: T, from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >>> 1
      const above = this.#items[parent]
      if (!above || above.expiresMs <= item.expiresMs) break
      this.#put(above, place)
      place = parent
    }
    this.#put(item, place)
  }

  #down(item: T, from: number): void {
    let place = from
    for (;;) {
      const left = this.#items[2 * place + 1]
      const right = this.#items[2 * place + 2]
      const least = right && left && right.expiresMs < left.expiresMs ? right : left
      if (!least || least.expiresMs >= item.expiresMs) break
      const next = least === left ? 2 * place + 1 : 2 * place + 2
      this.#put(least, place)
      place = next
    }
    this.#put(item, place)
  }

  #put(item: T, place: number): void {
    this.#items[place] = item
    item.place = place
  }
}
