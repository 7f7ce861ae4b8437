import { LIMITS, NAME } from '@weir/policy/model'

/** Collects what a name may have wrong: its case and strange characters. */
const cleaned = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, LIMITS.nameBytes)
    .replace(/^[._-]+|[._-]+$/g, '') || 'unnamed'

/** The gates or the dependencies of a process, made when first asked for. At most 500; what comes after shares one named `other`. */
export class Handles<T> {
  readonly #made = new Map<string, T>()
  readonly #aliases = new Map<string, string>()
  readonly #what: string
  readonly #make: (name: string) => T
  readonly #complain: (message: string) => void

  constructor(what: string, make: (name: string) => T, complain: (message: string) => void) {
    this.#what = what
    this.#make = make
    this.#complain = complain
  }

  get all(): IterableIterator<[string, T]> {
    return this.#made.entries()
  }

  get(name: string): T {
    return this.#made.get(name) ?? this.#named(this.#aliases.get(name) ?? this.#resolve(name))
  }

  #named(name: string): T {
    const found = this.#made.get(name)
    if (found !== undefined) return found
    const made = this.#make(name)
    this.#made.set(name, made)
    return made
  }

  /** The name that is used for this one; each difference is told once. */
  #resolve(given: string): string {
    const good = typeof given === 'string' && NAME.test(given)
    let name = good ? given : cleaned(String(given))
    if (!this.#made.has(name) && this.#made.size >= LIMITS.items - 1) name = 'other'
    if (name === given) return name
    if (this.#aliases.size < 2 * LIMITS.items) {
      this.#aliases.set(given, name)
      this.#complain(`The ${this.#what} ${JSON.stringify(String(given).slice(0, 140))} is named ${name} here.`)
    }
    return name
  }
}
