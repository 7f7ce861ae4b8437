import type { ClassesPolicy } from '@weir/policy/model'
import { ClassSlots } from './class-slots.ts'
import type { Tenant } from './tenant.ts'

/** Two circular lists, threaded through the same columns: places 0 and 1 are their ends. */
const RUNNING = 0
const ZOMBIES = 1
const FIRST = 2

/** How a slot is held. */
const ZOMBIE = 1
/** Counts against the limit and the tenant's concurrency: all but what observing would have refused. */
const COUNTED = 2
/** Was told to do the cheaper variant. */
const CHEAPER = 4

/** Times of one slot: its place in their column is `TIMES` x slot + one of these. */
const TIMES = 3
const ARRIVED = 0
/** Start of running work, cancelling of zombies. */
const SINCE = 1
const DEADLINE = 2

/**
 * Slots in use, by number, in columns of numbers: no object a slot beside its permit. Running work is kept in order of its start, zombies in order
 * of their cancelling, so that the overdue are always the first. Grows by doubling, and never shrinks.
 */
export class Slots {
  active = 0
  zombies = 0
  /** Those of both that count against the limit. */
  counted = 0
  /** The same by class. */
  readonly classes: ClassSlots
  #times = new Float64Array(TIMES * 16)
  #klass = new Uint8Array(16)
  #state = new Uint8Array(16)
  /** How often the slot was given back: a permit of an earlier turn holds nothing. */
  #turn = new Int32Array(16)
  #next = new Int32Array(16)
  #previous = new Int32Array(16)
  readonly #tenants: (Tenant | null)[] = [null, null]
  readonly #routes: (string | undefined)[] = [undefined, undefined]
  /** Of those whose signal was read. */
  readonly #controllers: (AbortController | undefined)[] = [undefined, undefined]
  #free = -1
  #fresh = FIRST

  constructor(classes: ClassesPolicy) {
    this.classes = new ClassSlots(classes)
    for (const end of [RUNNING, ZOMBIES]) {
      this.#next[end] = end
      this.#previous[end] = end
    }
  }

  get inUse(): number {
    return this.active + this.zombies
  }

  /** `startNow` or `startLate` says since when. */
  take(tenant: Tenant, klass: number, counted: boolean, degraded: boolean, route: string | undefined): number {
    const slot = this.#place()
    this.#tenants[slot] = tenant
    if (route !== undefined) this.#routes[slot] = route
    this.#klass[slot] = klass
    this.#state[slot] = (counted ? COUNTED : 0) | (degraded ? CHEAPER : 0)
    this.active++
    if (counted) {
      this.counted++
      this.classes.take(klass)
    }
    this.#append(slot, RUNNING)
    return slot
  }

  /** Work that starts as it arrives. */
  startNow(slot: number, nowMs: number, remainingMs: number): void {
    const at = slot * TIMES
    this.#times[at + ARRIVED] = nowMs
    this.#times[at + SINCE] = nowMs
    this.#times[at + DEADLINE] = nowMs + remainingMs
  }

  startLate(slot: number, arrivedMs: number, nowMs: number, deadlineMs: number): void {
    this.startNow(slot, nowMs, deadlineMs - nowMs)
    this.#times[slot * TIMES + ARRIVED] = arrivedMs
    this.#times[slot * TIMES + DEADLINE] = deadlineMs
  }

  turn(slot: number): number {
    return this.#turn[slot] as number
  }

  /** Aborted where the slot is taken back. */
  watch(slot: number, controller: AbortController): void {
    this.#controllers[slot] = controller
  }

  controller(slot: number): AbortController | undefined {
    return this.#controllers[slot]
  }

  cancel(slot: number, nowMs: number): void {
    this.#state[slot] = (this.#state[slot] as number) | ZOMBIE
    this.#times[slot * TIMES + SINCE] = nowMs
    this.active--
    this.zombies++
    this.#unlink(slot)
    this.#append(slot, ZOMBIES)
  }

  release(slot: number): void {
    if (this.isZombie(slot)) this.zombies--
    else this.active--
    if (this.isCounted(slot)) {
      this.counted--
      this.classes.give(this.klass(slot))
    }
    this.#unlink(slot)
    this.#turn[slot] = (this.#turn[slot] as number) + 1
    this.#tenants[slot] = null
    if (this.#routes[slot] !== undefined) this.#routes[slot] = undefined
    if (this.#controllers[slot] !== undefined) this.#controllers[slot] = undefined
    this.#next[slot] = this.#free
    this.#free = slot
  }

  isZombie(slot: number): boolean {
    return ((this.#state[slot] as number) & ZOMBIE) !== 0
  }

  isCounted(slot: number): boolean {
    return ((this.#state[slot] as number) & COUNTED) !== 0
  }

  isDegraded(slot: number): boolean {
    return ((this.#state[slot] as number) & CHEAPER) !== 0
  }

  tenant(slot: number): Tenant | null {
    return this.#tenants[slot] ?? null
  }

  route(slot: number): string | undefined {
    return this.#routes[slot]
  }

  klass(slot: number): number {
    return this.#klass[slot] as number
  }

  arrivedMs(slot: number): number {
    return this.#times[slot * TIMES + ARRIVED] as number
  }

  deadlineMs(slot: number): number {
    return this.#times[slot * TIMES + DEADLINE] as number
  }

  /** Start of running work, cancelling of a zombie. */
  sinceMs(slot: number): number {
    return this.#times[slot * TIMES + SINCE] as number
  }

  /** The one that has run longest; -1 when nothing runs. */
  get oldestRunning(): number {
    const slot = this.#next[RUNNING] as number
    return slot === RUNNING ? -1 : slot
  }

  /** The one cancelled longest ago; -1 when there is none. */
  get oldestZombie(): number {
    const slot = this.#next[ZOMBIES] as number
    return slot === ZOMBIES ? -1 : slot
  }

  #place(): number {
    const slot = this.#free
    if (slot >= 0) {
      this.#free = this.#next[slot] as number
      return slot
    }
    if (this.#fresh === this.#next.length) this.#grow()
    this.#controllers.push(undefined)
    this.#routes.push(undefined)
    return this.#fresh++
  }

  #append(slot: number, end: number): void {
    const last = this.#previous[end] as number
    this.#next[last] = slot
    this.#previous[slot] = last
    this.#next[slot] = end
    this.#previous[end] = slot
  }

  #unlink(slot: number): void {
    const next = this.#next[slot] as number
    const previous = this.#previous[slot] as number
    this.#next[previous] = next
    this.#previous[next] = previous
  }

  #grow(): void {
    const length = this.#next.length * 2
    const wider = <T extends Float64Array | Uint8Array | Int32Array>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#times = wider(new Float64Array(TIMES * length), this.#times)
    this.#klass = wider(new Uint8Array(length), this.#klass)
    this.#state = wider(new Uint8Array(length), this.#state)
    this.#turn = wider(new Int32Array(length), this.#turn)
    this.#next = wider(new Int32Array(length), this.#next)
    this.#previous = wider(new Int32Array(length), this.#previous)
  }
}
