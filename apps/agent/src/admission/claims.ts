import type { ClassesPolicy } from '@weir/policy/model'
import { Inflation } from './inflation.ts'
import { type ClassRules, classOf, classRules } from './reading.ts'
import type { Work } from './work.ts'

/** Which class work runs in: what it claims, capped by the policy. */
export class Claims {
  readonly #inflation = new Inflation()
  #rules: ClassRules
  #capped: boolean

  constructor(policy: ClassesPolicy) {
    this.#rules = classRules(policy)
    this.#capped = this.#cap(policy.topShareCap)
  }

  /** Keeps what the callers have claimed. */
  obey(policy: ClassesPolicy): void {
    this.#rules = classRules(policy)
    this.#capped = this.#cap(policy.topShareCap)
  }

  get default(): number {
    return this.#rules.default
  }

  /** The class that it claims and may have. */
  read(work: Work): number {
    return classOf(work.criticality, !!work.caller, this.#rules)
  }

  /** The class that it gets: the next below where its caller's share of the top class passes the cap. Counts it. */
  take(work: Work): number {
    const klass = this.read(work)
    return this.#capped ? this.#granted(work, klass) : klass
  }

  #granted(work: Work, klass: number): number {
    const top = work.caller ? 0 : this.#rules.highest
    if (top >= this.#rules.default) return klass
    return this.#inflation.grants(work.caller, klass === top) ? klass : klass + 1
  }

  #cap(share: number | null): boolean {
    if (share !== null) this.#inflation.obey(share)
    return share !== null
  }
}
