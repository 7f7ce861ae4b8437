import { LIMITS, type Quota } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import type { Account, Cells } from './books.ts'
import type { Bucket } from './bucket.ts'
import { ACCEPT, TENANT_CONCURRENCY, TENANT_RATE } from './reasons.ts'

/** Work that names no tenant is counted under the empty name, which no tenant can have. */
export const NO_TENANT = ''
/** Tenants without an account or a series of their own are counted here. */
export const OTHER_TENANTS = 'other'

/** One tenant at one gate: what it may use and what it uses. */
export class Tenant implements Account {
  readonly name: string
  /** Has a quota of its own, so always an account of its own. */
  listed: boolean
  /** Fleet-wide. */
  quota: Quota
  /** This agent's share, `null` = not limited. */
  bucket: Bucket | null
  concurrency: number | null
  /** Work that counts against the concurrency: running, zombie, or waiting. */
  held = 0
  /** All work that refers to this account, counted against the quota or not. */
  references = 0
  cells: (Cells | null)[] | null = null
  touched = false
  volume = 0

  constructor(name: string, listed: boolean, quota: Quota, bucket: Bucket | null, concurrency: number | null) {
    this.name = name
    this.listed = listed
    this.quota = quota
    this.bucket = bucket
    this.concurrency = concurrency
  }

  /** `ACCEPT`, or the reason why not. Takes nothing. */
  verdict(units: number, clock: Clock): number {
    if (this.concurrency !== null && this.held >= this.concurrency) return TENANT_CONCURRENCY
    if (this.bucket !== null && !this.bucket.holds(units) && !this.bucket.has(units, clock.now())) return TENANT_RATE
    return ACCEPT
  }

  take(units: number, nowMs: number): void {
    this.held++
    this.references++
    this.bucket?.take(units, nowMs)
  }

  /** Work that waited and never started. */
  giveBack(units: number): void {
    this.held--
    this.references--
    this.bucket?.giveBack(units)
  }

  /** Nothing runs, nothing uncollected, nothing owed: forgetting it changes nothing. */
  idle(nowMs: number): boolean {
    return this.references === 0 && !this.touched && (this.bucket === null || this.bucket.full(nowMs))
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
