import type { ClassesPolicy } from '@weir/policy/model'
import { ClassSlots } from './class-slots.ts'
import type { SlotPermit } from './permit.ts'
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

const column = (length: number): Float64Array<ArrayBuffer> => new Float64Array(length)

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
  #arrivedMs = column(16)
  #deadlineMs = column(16)
  /** Start of running work, cancelling of zombies. */
  #sinceMs = column(16)
  #startedMs = column(16)
  #klass = new Uint8Array(16)
  #state = new Uint8Array(16)
  #next = new Int32Array(16)
  #previous = new Int32Array(16)
  readonly #tenants: (Tenant | null)[] = [null, null]
  readonly #permits: (SlotPermit | null)[] = [null, null]
  readonly #routes: (string | undefined)[] = [undefined, undefined]
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

  take(
    tenant: Tenant,
    klass: number,
    arrivedMs: number,
    startedMs: number,
    deadlineMs: number,
    counted: boolean,
    degraded: boolean,
    route: string | undefined,
  ): number {
    const slot = this.#place()
    this.#tenants[slot] = tenant
    this.#routes[slot] = route
    this.#klass[slot] = klass
    this.#arrivedMs[slot] = arrivedMs
    this.#startedMs[slot] = startedMs
    this.#sinceMs[slot] = startedMs
    this.#deadlineMs[slot] = deadlineMs
    this.#state[slot] = (counted ? COUNTED : 0) | (degraded ? CHEAPER : 0)
    this.active++
    if (counted) {
      this.counted++
      this.classes.take(klass)
    }
    this.#append(slot, RUNNING)
    return slot
  }

  bind(slot: number, permit: SlotPermit): void {
    this.#permits[slot] = permit
  }

  cancel(slot: number, nowMs: number): void {
    this.#state[slot] = (this.#state[slot] ?? 0) | ZOMBIE
    this.#sinceMs[slot] = nowMs
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
    this.#tenants[slot] = null
    this.#permits[slot] = null
    this.#routes[slot] = undefined
    this.#next[slot] = this.#free
    this.#free = slot
  }

  isZombie(slot: number): boolean {
    return ((this.#state[slot] ?? 0) & ZOMBIE) !== 0
  }

  isCounted(slot: number): boolean {
    return ((this.#state[slot] ?? 0) & COUNTED) !== 0
  }

  isDegraded(slot: number): boolean {
    return ((this.#state[slot] ?? 0) & CHEAPER) !== 0
  }

  tenant(slot: number): Tenant | null {
    return this.#tenants[slot] ?? null
  }

  permit(slot: number): SlotPermit | null {
    return this.#permits[slot] ?? null
  }

  route(slot: number): string | undefined {
    return this.#routes[slot]
  }

  klass(slot: number): number {
    return this.#klass[slot] ?? 0
  }

  arrivedMs(slot: number): number {
    return this.#arrivedMs[slot] ?? 0
  }

  startedMs(slot: number): number {
    return this.#startedMs[slot] ?? 0
  }

  deadlineMs(slot: number): number {
    return this.#deadlineMs[slot] ?? 0
  }

  /** Start of running work, cancelling of a zombie. */
  sinceMs(slot: number): number {
    return this.#sinceMs[slot] ?? 0
  }

  /** The one that has run longest; -1 when nothing runs. */
  get oldestRunning(): number {
    const slot = this.#next[RUNNING] ?? RUNNING
    return slot === RUNNING ? -1 : slot
  }

  /** The one cancelled longest ago; -1 when there is none. */
  get oldestZombie(): number {
    const slot = this.#next[ZOMBIES] ?? ZOMBIES
    return slot === ZOMBIES ? -1 : slot
  }

  #place(): number {
    const slot = this.#free
    if (slot >= 0) {
      this.#free = this.#next[slot] ?? -1
      return slot
    }
    if (this.#fresh === this.#next.length) this.#grow()
    return this.#fresh++
  }

  #append(slot: number, end: number): void {
    const last = this.#previous[end] ?? end
    this.#next[last] = slot
    this.#previous[slot] = last
    this.#next[slot] = end
    this.#previous[end] = slot
  }

  #unlink(slot: number): void {
    const next = this.#next[slot] ?? 0
    const previous = this.#previous[slot] ?? 0
    this.#next[previous] = next
    this.#previous[next] = previous
  }

  #grow(): void {
    const length = this.#next.length * 2
    const wider = <T extends Float64Array | Uint8Array | Int32Array>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#arrivedMs = wider(column(length), this.#arrivedMs)
    this.#deadlineMs = wider(column(length), this.#deadlineMs)
    this.#sinceMs = wider(column(length), this.#sinceMs)
    this.#startedMs = wider(column(length), this.#startedMs)
    this.#klass = wider(new Uint8Array(length), this.#klass)
    this.#state = wider(new Uint8Array(length), this.#state)
    this.#next = wider(new Int32Array(length), this.#next)
    this.#previous = wider(new Int32Array(length), this.#previous)
  }
}
