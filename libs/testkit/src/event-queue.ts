/** Something that is due: the handle by which it is taken back. */
export interface Due<T> {
  /** Infinity: never. */
  readonly atMs: number
  readonly value: T
}

interface Node<T> extends Due<T> {
  readonly order: number
  /** Its place in the heap; -1 once it has left. */
  place: number
}

/** What is due, soonest first; what is due at one moment in the order that it was put in. A binary heap: put, take and remove in O(log n). */
export class EventQueue<T> {
  readonly #heap: Node<T>[] = []
  #order = 0

  get size(): number {
    return this.#heap.length
  }

  /** When the next is due; Infinity when nothing is. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY
  }

  put(atMs: number, value: T): Due<T> {
    const node = { atMs, value, order: this.#order++, place: this.#heap.length }
    this.#heap.push(node)
    this.#rise(node)
    return node
  }

  take(): Due<T> | undefined {
    const first = this.#heap[0]
    if (first) this.#drop(first)
    return first
  }

  /** What is not waiting, or no longer, is left alone. */
  remove(due: Due<T>): void {
    const node = due as Node<T>
    if (this.#heap[node.place] === node) this.#drop(node)
  }

  #drop(node: Node<T>): void {
    const { place } = node
    const last = this.#heap.pop() as Node<T>
    node.place = -1
    if (last === node) return
    this.#seat(last, place)
    this.#rise(last)
    this.#sink(last)
  }

  #rise(node: Node<T>): void {
    let { place } = node
    while (place > 0) {
      const parent = this.#heap[(place - 1) >> 1] as Node<T>
      if (!sooner(node, parent)) break
      this.#seat(parent, place)
      place = (place - 1) >> 1
    }
    this.#seat(node, place)
  }

  #sink(node: Node<T>): void {
    const heap = this.#heap
    let { place } = node
    while (true) {
      let child = heap[2 * place + 1]
      const other = heap[2 * place + 2]
      if (child && other && sooner(other, child)) child = other
      if (!child || !sooner(child, node)) break
      const up = child.place
      this.#seat(child, place)
      place = up
    }
    this.#seat(node, place)
  }

  #seat(node: Node<T>, place: number): void {
    this.#heap[place] = node
    node.place = place
  }
}

const sooner = (a: Node<unknown>, b: Node<unknown>): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
