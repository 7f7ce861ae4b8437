import { CRITICALITIES, LIMITS } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import type { Allowance } from './allowance.ts'
import type { Account, Cells } from './books.ts'
import type { Reading } from './bucket.ts'
import { Flow } from './flow.ts'

/** Work that names no tenant is counted under the empty name, which no tenant can have. */
export const NO_TENANT = ''
/** Tenants without an account or a series of their own are counted here. */
export const OTHER_TENANTS = 'other'

/** One tenant at one gate: its figures and its places in the queue. What it may use is of the gate's resource. */
export class Tenant implements Account {
  // What each decision touches is side by side.
  readonly allowance: Allowance
  /** All work of this gate that refers to this account, counted against the quota or not. */
  references = 0
  klass = -1
  accepted = 0
  completed = 0
  open: Cells | null = null
  cells: (Cells | null)[] | null = null
  readonly name: string
  volume = 0
  #flows: (Flow | undefined)[] | undefined = undefined

  constructor(allowance: Allowance) {
    this.name = allowance.name
    this.allowance = allowance
  }

  get weight(): number {
    return this.allowance.quota.weight
  }

  /** `ACCEPT`, or the reason why not. Takes nothing. */
  verdict(units: number, clock: Clock): number {
    return this.allowance.verdict(units, clock)
  }

  /** At the clock's last reading. */
  take(units: number, clock: Reading): void {
    this.references++
    this.allowance.take(units, clock)
  }

  /** Its work is over; whether it was charged. */
  leave(charged: boolean): void {
    this.references--
    if (charged) this.allowance.leave()
  }

  /** Work that waited and never started. */
  giveBack(units: number): void {
    this.references--
    this.allowance.giveBack(units)
  }

  /** Its waiting work of one class. */
  flow(klass: number): Flow {
    this.#flows ??= CRITICALITIES.map(() => undefined)
    const flow = this.#flows[klass] ?? new Flow(this)
    this.#flows[klass] = flow
    return flow
  }

  /** Nothing runs or waits here, nothing uncollected, nothing owed: forgetting it changes nothing. */
  idle(nowMs: number): boolean {
    return this.references === 0 && this.klass < 0 && this.allowance.idle(nowMs)
  }
}

const encoder = new TextEncoder()
/** UTF-8 takes at most three bytes for one UTF-16 unit. */
const SURELY_SHORT = Math.floor(LIMITS.tenantBytes / 3)
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/

/** A tenant's id in normal form C, or `null` when it is none: empty, past 128 bytes, or with control characters. */
export const canonicalTenant = (given: string): string | null => {
  if (given.length === 0 || given.length > LIMITS.tenantBytes || CONTROL.test(given)) return null
  const name = given.normalize('NFC')
  if (name.length > SURELY_SHORT && encoder.encode(name).length > LIMITS.tenantBytes) return null
  return name
}
