import type { ClassesPolicy } from '@weir/policy/model'
import { ClassSlots } from './class-slots.ts'
import type { Tenant } from './tenant.ts'

/** How a slot is held: bits of its state, above them its class. */
const ZOMBIE = 1
/** Counts against the limit and the tenant's concurrency: all but what observing would have refused. */
const COUNTED = 2
/** Was told to do the cheaper variant. */
const CHEAPER = 4
/** Its route or its controller is kept. */
const MORE = 8
const CLASS_SHIFT = 4

/** Times of one slot: its place in their column is `TIMES` x slot + one of these. */
const TIMES = 3
const ARRIVED = 0
/** Start of running work, cancelling of zombies. */
const SINCE = 1
const DEADLINE = 2

/** Slots in use, by number, in columns of numbers: no object a slot beside its permit. Grows by doubling, and never shrinks. */
export class Slots {
  inUse = 0
  zombies = 0
  /** Those that count against the limit, by class. */
  readonly classes: ClassSlots
  #times = new Float64Array(TIMES * 16)
  /** Of a slot in use its state, of a free one the next that is free. */
  #state = new Int32Array(16)
  /** How often the slot was given back: a permit of an earlier turn holds nothing. */
  #turn = new Int32Array(16)
  readonly #tenants: (Tenant | null)[] = []
  readonly #routes: (string | undefined)[] = []
  /** Of those whose signal was read. */
  readonly #controllers: (AbortController | undefined)[] = []
  #free = -1

  constructor(classes: ClassesPolicy) {
    this.classes = new ClassSlots(classes)
  }

  get active(): number {
    return this.inUse - this.zombies
  }

  /** `startNow` or `startLate` says since when. */
  take(tenant: Tenant, klass: number, counted: boolean, degraded: boolean, route: string | undefined): number {
    const slot = this.#free < 0 ? this.#add() : this.#free
    this.#free = this.#state[slot] as number
    this.#state[slot] = (klass << CLASS_SHIFT) | (counted ? COUNTED : 0) | (degraded ? CHEAPER : 0)
    this.#tenants[slot] = tenant
    if (route !== undefined) this.#keepRoute(slot, route)
    this.inUse++
    if (counted) this.classes.take(klass)
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
    this.#mark(slot, MORE)
  }

  controller(slot: number): AbortController | undefined {
    return this.#controllers[slot]
  }

  cancel(slot: number, nowMs: number): void {
    this.#mark(slot, ZOMBIE)
    this.#times[slot * TIMES + SINCE] = nowMs
    this.zombies++
  }

  /** Whose work it was. */
  release(slot: number): Tenant | null {
    const tenant = this.tenant(slot)
    const state = this.#state[slot] as number
    this.inUse--
    if ((state & ZOMBIE) !== 0) this.zombies--
    if ((state & COUNTED) !== 0) this.classes.give(state >> CLASS_SHIFT)
    this.#turn[slot] = (this.#turn[slot] as number) + 1
    this.#tenants[slot] = null
    if ((state & MORE) !== 0) this.#forgetMore(slot)
    this.#state[slot] = this.#free
    this.#free = slot
    return tenant
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

  klass(slot: number): number {
    return (this.#state[slot] as number) >> CLASS_SHIFT
  }

  /** `null`: the slot is free. */
  tenant(slot: number): Tenant | null {
    return this.#tenants[slot] ?? null
  }

  route(slot: number): string | undefined {
    return this.#routes[slot]
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

  /** Numbers in use are below it. */
  get size(): number {
    return this.#tenants.length
  }

  #keepRoute(slot: number, route: string): void {
    this.#routes[slot] = route
    this.#mark(slot, MORE)
  }

  #forgetMore(slot: number): void {
    this.#routes[slot] = undefined
    this.#controllers[slot] = undefined
  }

  #mark(slot: number, bit: number): void {
    this.#state[slot] = (this.#state[slot] as number) | bit
  }

  #add(): number {
    const slot = this.size
    if (slot === this.#state.length) this.#grow(2 * slot)
    this.#tenants.push(null)
    this.#routes.push(undefined)
    this.#controllers.push(undefined)
    this.#state[slot] = -1
    return slot
  }

  #grow(length: number): void {
    const wider = <T extends Float64Array | Int32Array>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#times = wider(new Float64Array(TIMES * length), this.#times)
    this.#state = wider(new Int32Array(length), this.#state)
    this.#turn = wider(new Int32Array(length), this.#turn)
  }
}
