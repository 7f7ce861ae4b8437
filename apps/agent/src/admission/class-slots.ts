import { type ClassesPolicy, CRITICALITIES } from '@weir/policy/model'

const CLASSES = CRITICALITIES.length
/** What a class kept of its reserve and did not use for so long is lent again. */
export const LEND_AFTER_MS = 1_000
/** Larger than the rounding of share x limit. */
const ROUNDING = 1e-9

type Shares = ClassesPolicy['reserves']

/**
 * Reserved slots: the whole part of share x limit; at least 1 for every share above 0 where the limit has a slot for each class, for which the
 * largest give way. They never add up past the limit.
 */
export const reservedSlots = (shares: Shares, limit: number): number[] => {
  const into: number[] = []
  let sum = 0
  for (let klass = 0; klass < CLASSES; klass++) {
    const share = shares[CRITICALITIES[klass] ?? 'sheddable']
    const whole = Math.floor(share * limit + ROUNDING)
    const slots = whole === 0 && share > 0 && limit >= CLASSES ? 1 : whole
    into[klass] = slots
    sum += slots
  }
  for (; sum > limit; sum--) {
    const largest = into.indexOf(Math.max(...into))
    into[largest] = (into[largest] ?? 0) - 1
  }
  return into
}

/** Slots of one class. */
interface ClassState {
  /** In use, and counted against the limit. */
  used: number
  reserve: number
  /** What others may not borrow, used or not. */
  kept: number
  /** Most used or wanted since the last look. */
  peak: number
}

/**
 * Which class may have a free slot. One under its reserve always may. Another borrows: of what is free when the others' kept slots are left out. A
 * strict reserve is kept in full. Else a class keeps as many slots as it lately wanted: one more each time that its work finds none of its reserve
 * free, and after `LEND_AFTER_MS` no more than it used. So what is lent comes back as borrowed slots end, and what is idle is lent.
 */
export class ClassSlots {
  readonly #states: ClassState[] = CRITICALITIES.map(() => ({ used: 0, reserve: 0, kept: 0, peak: 0 }))
  #policy: ClassesPolicy
  #limit = 0
  /** Kept and not used: sum of max(0, kept - used). */
  #idle = 0
  #lendAtMs = 0

  constructor(policy: ClassesPolicy) {
    this.#policy = policy
  }

  obey(policy: ClassesPolicy): void {
    this.#policy = policy
    this.#divide(this.#limit)
  }

  used(klass: number): number {
    return this.#of(klass).used
  }

  reserve(klass: number): number {
    return this.#of(klass).reserve
  }

  kept(klass: number): number {
    return this.#of(klass).kept
  }

  underReserve(klass: number): boolean {
    const state = this.#of(klass)
    return state.used < state.reserve
  }

  /** In use, of all classes. */
  get total(): number {
    let sum = 0
    for (const { used } of this.#states) sum += used
    return sum
  }

  /** Slots that others may not borrow although they are free. */
  get idle(): number {
    return this.#idle
  }

  /** When kept slots may next be lent; `Infinity` where none is kept idle, or for good. */
  get lendsAtMs(): number {
    return this.#idle > 0 && !this.#policy.strict ? this.#lendAtMs : Number.POSITIVE_INFINITY
  }

  /** The limit as it is now: reserves are shares of it. */
  follow(limit: number): void {
    if (limit !== this.#limit) this.#divide(limit)
  }

  /** Whether one more of this class may start under the limit as it is now. `level` n stops the n lowest classes from borrowing. */
  admits(klass: number, inUse: number, limit: number, level: number): boolean {
    if (limit !== this.#limit) this.#divide(limit)
    if (inUse + this.#idle < limit && !isShed(klass, level)) return true
    return inUse < limit && this.underReserve(klass)
  }

  take(klass: number): void {
    const state = this.#of(klass)
    if (state.used < state.kept) this.#idle--
    state.used++
    if (state.used > state.peak) state.peak = state.used
  }

  give(klass: number): void {
    const state = this.#of(klass)
    state.used--
    if (state.used < state.kept) this.#idle++
  }

  /** Work of this class found no slot: where its reserve is lent, it wants one more of it back. */
  miss(klass: number): void {
    const state = this.#of(klass)
    if (state.used >= state.reserve) return
    this.#keep(state, Math.min(state.reserve, Math.max(state.kept, state.used) + 1))
    state.peak = Math.max(state.peak, state.kept)
  }

  /** Lends what was kept and not used; whether there was any. */
  lend(nowMs: number): boolean {
    if (this.#idle === 0 || nowMs < this.#lendAtMs) return false
    this.#lendAtMs = nowMs + LEND_AFTER_MS
    const idle = this.#idle
    for (const state of this.#states) {
      if (!this.#policy.strict) this.#keep(state, Math.min(state.kept, state.peak))
      state.peak = state.used
    }
    return this.#idle < idle
  }

  #divide(limit: number): void {
    this.#limit = limit
    const reserved = reservedSlots(this.#policy.reserves, limit)
    for (let klass = 0; klass < CLASSES; klass++) {
      const state = this.#of(klass)
      state.reserve = reserved[klass] ?? 0
      this.#keep(state, this.#policy.strict ? state.reserve : Math.min(state.kept, state.reserve))
    }
  }

  #keep(state: ClassState, slots: number): void {
    this.#idle += Math.max(0, slots - state.used) - Math.max(0, state.kept - state.used)
    state.kept = slots
  }

  #of(klass: number): ClassState {
    return this.#states[klass] as ClassState
  }
}

/** Level n sheds the n lowest classes. */
export const isShed = (klass: number, level: number): boolean => klass >= CLASSES - level
