/** What a heap orders: where it keeps each item's place, so that any item can be taken out. */
export interface Placed {
  place: number
}

/** Binary heap, the one before all others on top. Every item may be removed or moved: O(log n). */
export class Heap<T extends Placed> {
  readonly #items: T[] = []
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

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

  /** Its rank fell. */
  sink(item: T): void {
    this.#down(item, item.place)
  }

  /** Puts all in order again after their ranks changed: O(n). */
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
      if (!above || !this.#before(item, above)) break
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
      const least = right && left && this.#before(right, left) ? right : left
      if (!least || !this.#before(least, item)) break
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
