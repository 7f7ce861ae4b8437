/** The label of whatever has no seat. */
export const OTHER = 'other'
const ROTATE_MS = 60_000
/** Labels that may compete for a seat: four times as many as there are seats. */
const CANDIDATES = 4

/**
 * A bounded set of labels: free seats go to who comes first; once a minute the seats go to the heaviest of the last minutes (weights are halved
 * each time). A bucket of one minute therefore holds at most twice as many labels as there are seats, and `other`.
 */
export class Seats {
  readonly #capacity: number
  readonly #weights = new Map<string, number>()
  #seated = new Set<string>()
  #rotateAt = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The label itself, or `other`. */
  seat(label: string, weight: number, nowMs: number): string {
    if (nowMs >= this.#rotateAt) this.#rotate(nowMs)
    const known = this.#weights.get(label)
    if (known !== undefined) this.#weights.set(label, known + weight)
    else if (this.#weights.size < this.#capacity * CANDIDATES) this.#weights.set(label, weight)
    if (this.#seated.has(label)) return label
    if (this.#seated.size >= this.#capacity) return OTHER
    this.#seated.add(label)
    return label
  }

  #rotate(nowMs: number): void {
    this.#rotateAt = nowMs + ROTATE_MS
    const heaviest = [...this.#weights].sort((a, b) => b[1] - a[1])
    this.#seated = new Set(heaviest.slice(0, this.#capacity).map(([label]) => label))
    this.#weights.clear()
    for (const [label, weight] of heaviest) if (weight / 2 >= 1) this.#weights.set(label, weight / 2)
  }
}

/** Seats of one service. Names: gates and dependencies together. */
const SEATS = { name: 64, class: 8, tenant: 50, reason: 32, revision: 8, instance: 50 } as const
export type Seated = keyof typeof SEATS

/** Services whose seats are remembered; past this the longest unused forgets its own. */
const MAX_SERVICES = 10_000

export class ServiceSeats {
  readonly #services = new Map<string, Record<Seated, Seats>>()

  of(environment: string, service: string): Record<Seated, Seats> {
    const key = `${environment}\n${service}`
    const seats = this.#services.get(key) ?? newSeats()
    this.#services.delete(key)
    this.#services.set(key, seats)
    if (this.#services.size > MAX_SERVICES) {
      const [oldest] = this.#services.keys()
      if (oldest !== undefined) this.#services.delete(oldest)
    }
    return seats
  }
}

const newSeats = (): Record<Seated, Seats> => ({
  name: new Seats(SEATS.name),
  class: new Seats(SEATS.class),
  tenant: new Seats(SEATS.tenant),
  reason: new Seats(SEATS.reason),
  revision: new Seats(SEATS.revision),
  instance: new Seats(SEATS.instance),
})
