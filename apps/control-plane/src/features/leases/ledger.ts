import { type HeldLease, type LeaseAsk, type LeaseGrant, maxMinUnits, waterLevel } from '@weir/policy/model'
import { Account } from './account.ts'
import { Calendar } from './calendar.ts'
import { type LeaseShare, type LedgerFigures, shareOf, sumOf } from './figures.ts'
import { NewcomerPool } from './newcomer-pool.ts'
import { counted, declared, usableOf } from './terms.ts'
import { type LeaseTiming, longestMs } from './timing.ts'
import { type Before, NOTHING, Unknown } from './unknown.ts'

/**
 * Agents of one quota are divided anew at most so often in a refresh, and so often for each of them, milliseconds: ten thousand four times a second, a few
 * at every question. Where a hundred agents ask one after another the division would else be most of the work.
 */
const DIVISIONS = 25
const DIVIDE_MS_PER_AGENT = 0.025
/** A lease is made shorter, not smaller, where it does not fit to its end; down to this, in which one answer may be lost. */
const SHORTEST_REFRESHES = 2
/** From so many units each on nobody misses an odd one: it is not divided. */
const FINE = 1_000
/** Leases of one fleet end spread over this share of their length. */
const LENGTH_JITTER = 0.1

export interface LedgerOptions {
  /** Names this ledger's grants: new for each life of it. */
  readonly epoch: string
  readonly timing: LeaseTiming
  /** Whole units. */
  readonly capacity: number
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** What a ledger before this one may have granted. Left out: there was none. */
  readonly before?: Before
}

/** Leases of one quota: who holds what, and what may be granted. Pure: the time is an argument. */
export class QuotaLedger {
  readonly #options: LedgerOptions
  readonly #accounts = new Map<string, Account>()
  readonly #calendar: Calendar
  readonly #pool = new NewcomerPool()
  readonly #unknown: Unknown
  #capacity: number
  #grants = 0
  /** Sum of the safe capacities that may be held, of those that are unknown too. */
  #safe = 0
  #level = Number.POSITIVE_INFINITY
  /** Of what is asked for in case nobody needs it, 0..1. */
  #spare = 0
  #reserved = 0
  #stale = true
  #membersChanged = true
  #dividedMs = Number.NEGATIVE_INFINITY

  constructor(options: LedgerOptions, nowMs: number) {
    this.#options = options
    this.#capacity = options.capacity
    this.#calendar = new Calendar(options.timing, options.capacity, nowMs)
    this.#unknown = new Unknown(options.before ?? NOTHING, options.timing, nowMs)
    this.#safe = this.#unknown.account.safe
    this.#calendar.add(this.#unknown.account)
  }

  /** Whole units. */
  get capacity(): number {
    return this.#capacity
  }

  /** Whether nobody can hold anything of it. */
  isOver(nowMs: number): boolean {
    this.#look(nowMs)
    return this.#accounts.size === 0 && this.#unknown.isOver
  }

  /** What was used stays counted: a lower quota is reached as leases end or are asked for anew. */
  setCapacity(units: number, nowMs: number): void {
    this.#look(nowMs)
    this.#capacity = units
    this.#calendar.setCapacity(units)
    for (const account of this.#accounts.values()) account.clip(units)
    this.#stale = this.#membersChanged = true
    this.#dividedMs = Number.NEGATIVE_INFINITY
  }

  /**
   * Answers a question. `openedMs` is when the agent's present connection began: what it says of its lease is no older. `null`: no news, what it holds
   * stays; while those are missing that hold unknown leases, nobody is given less than it may use: its lease, or its safe capacity.
   */
  ask(ask: LeaseAsk, nowMs: number, openedMs = nowMs): LeaseGrant | null {
    this.#look(nowMs)
    const account = this.#accounts.get(ask.agent) ?? this.#join(ask.agent, nowMs)
    this.#take(account)
    this.#hear(account, ask, nowMs, openedMs)
    this.#divide(account, nowMs)
    const keeps = this.#unknown.isLearning(nowMs) ? usableOf(ask.held) : 0
    const grant = this.#grant(account, nowMs, keeps)
    const given = grant.units < keeps ? null : grant
    if (given !== null) account.send(counted(given, nowMs))
    this.#put(account)
    return given
  }

  /** The agent says, without a question, that it obeys this grant: what it had before is free. */
  obeyed(agent: string, held: HeldLease, inUse: number, nowMs: number): void {
    const account = this.#accounts.get(agent)
    if (account === undefined || held.epoch !== this.#options.epoch) return
    this.#look(nowMs)
    this.#take(account)
    account.holds(held.id)
    account.inUse = inUse
    this.#put(account)
  }

  /** The agent has given back all that it held, and uses nothing. */
  release(agent: string, nowMs: number): void {
    this.#look(nowMs)
    const account = this.#accounts.get(agent)
    if (account !== undefined) this.#forget(account)
    this.#learn(agent, 0, 0)
  }

  figures(nowMs: number): LedgerFigures {
    this.#look(nowMs)
    const unknown = this.#unknown.account.usable(nowMs, nowMs)
    const sum = sumOf(this.#accounts.values(), nowMs)
    const outstanding = sum.outstanding + unknown
    return { ...sum, outstanding, capacity: this.#capacity, reserved: this.#reserved }
  }

  /** Of each agent, in no order. */
  shares(nowMs: number): LeaseShare[] {
    this.#look(nowMs)
    return Array.from(this.#accounts.values(), (account) => shareOf(account, nowMs))
  }

  #look(nowMs: number): void {
    if (nowMs + this.#options.timing.lengthMs < this.#calendar.endMs) return
    this.#calendar.advance(nowMs, this.#everyone())
    for (const account of this.#accounts.values()) if (account.isDead(nowMs)) this.#forget(account)
    if (!this.#unknown.isOver && this.#unknown.account.isDead(nowMs)) this.#change(() => this.#unknown.end())
    this.#stale = true
  }

  *#everyone(): Iterable<Account> {
    yield* this.#accounts.values()
    yield this.#unknown.account
  }

  /** Of an account that is not counted at present. */
  #hear(account: Account, ask: LeaseAsk, nowMs: number, openedMs: number): void {
    const { agent, held, inUse, weight } = ask
    if (held === null) this.#learn(agent, 0, 0)
    else if (held.epoch === this.#options.epoch) account.holds(held.id)
    else if (account.isEmpty) {
      account.declare(declared(held, nowMs, openedMs))
      this.#learn(agent, held.expiresInMs > 0 ? held.units : 0, held.safe)
    }
    account.inUse = inUse
    account.used = ask.used
    const { want, spare } = account
    account.wants(ask, this.#capacity)
    if (want !== account.want || spare !== account.spare || weight !== account.weight) this.#stale = true
    if (weight !== account.weight) this.#membersChanged = true
    account.weight = weight
  }

  /** Nearly all of a large fleet hold nothing of one quota: that they say so changes nothing until the last has. */
  #learn(agent: string, units: number, safe: number): void {
    const unknown = this.#unknown
    if (unknown.isOver) return
    if (units + safe === 0 && unknown.missing > 1) unknown.told(agent, 0, 0)
    else this.#change(() => unknown.told(agent, units, safe))
  }

  /** The unknown's account becomes less. */
  #change(change: () => void): void {
    this.#take(this.#unknown.account)
    change()
    this.#put(this.#unknown.account)
    this.#stale = true
  }

  #join(agent: string, nowMs: number): Account {
    const account = new Account(agent)
    this.#accounts.set(agent, account)
    this.#pool.joined(nowMs)
    this.#stale = this.#membersChanged = true
    return account
  }

  #forget(account: Account): void {
    this.#take(account)
    this.#accounts.delete(account.agent)
    this.#stale = this.#membersChanged = true
  }

  #take(account: Account): void {
    this.#calendar.remove(account)
    this.#safe -= account.safe
  }

  #put(account: Account): void {
    this.#calendar.add(account)
    this.#safe += account.safe
  }

  /**
   * Of an account that is not counted at present. What fits for a while, but not to its end, is granted for that while: a quota that has just become
   * smaller, or a silent agent that is to be made room for, is no reason to give others nothing.
   */
  #grant(account: Account, nowMs: number, keeps: number): LeaseGrant {
    const { epoch, timing, random } = this.#options
    const calendar = this.#calendar
    const pool = this.#pool.units(this.#capacity, nowMs, longestMs(timing))
    const level = Math.floor(this.#level * account.weight) + account.odd
    const fair = Math.max(keeps, Math.min(account.want, level) + Math.floor(this.#spare * account.spare))
    const untilMs = nowMs + SHORTEST_REFRESHES * timing.refreshMs
    const first = account.usable(nowMs, nowMs) > 0 ? 0 : Math.ceil(calendar.room(account, 0, untilMs) / 2)
    const beside = calendar.room(account, pool, untilMs)
    const units = Math.min(fair, Math.max(beside, first))
    const fitMs = calendar.fitUntilMs(account, beside < units ? 0 : pool, units)
    const lengthMs = Math.min(timing.lengthMs * (1 - LENGTH_JITTER * random()), fitMs - nowMs)
    const safe = Math.min(account.safeShare, this.#capacity - this.#safe, calendar.leftFrom(fitMs))
    const { waitMs, presumedDeadMs: deadMs, refreshMs } = timing
    return {
      epoch,
      id: ++this.#grants,
      quota: this.#capacity,
      units,
      lengthMs,
      safe: Math.max(0, safe),
      waitMs,
      deadMs,
      refreshMs,
    }
  }

  /** Those whose leases cannot be made smaller in time are no part of it, apart from the one that asks. */
  #divide(asking: Account, nowMs: number): void {
    if (!this.#stale || nowMs - this.#dividedMs < this.#restMs) return
    this.#stale = false
    this.#dividedMs = nowMs
    const { timing } = this.#options
    const noticedMs = this.#calendar.endMs
    const claims: Account[] = []
    this.#reserved = this.#unknown.account.usable(nowMs, noticedMs)
    for (const account of this.#accounts.values())
      if (account.stepMs < noticedMs && account !== asking) this.#reserved += account.usable(nowMs, noticedMs)
      else claims.push(account)
    const pool = this.#pool.units(this.#capacity, nowMs, longestMs(timing))
    const left = Math.max(0, this.#capacity - this.#reserved - pool)
    this.#level = waterLevel(left, claims, this.#level)
    this.#spare = this.#level === Number.POSITIVE_INFINITY ? spareShare(left, claims) : 0
    const shares = left < FINE * claims.length ? maxMinUnits(left, claims, this.#level) : []
    for (const [i, account] of claims.entries())
      account.odd = Math.max(0, (shares[i] ?? 0) - Math.floor(this.#level * account.weight))
    if (this.#membersChanged) this.#divideSafe()
  }

  /** Between two divisions. */
  get #restMs(): number {
    const { size } = this.#accounts
    return size <= DIVISIONS ? 0 : Math.max(this.#options.timing.refreshMs / DIVISIONS, DIVIDE_MS_PER_AGENT * size)
  }

  /** Equal shares of the whole, by weight: whoever is cut off falls back to what it would have if everybody wanted all. Odd units to the first. */
  #divideSafe(): void {
    this.#membersChanged = false
    let weights = 0
    for (const { weight } of this.#accounts.values()) weights += weight
    let left = this.#capacity
    for (const account of this.#accounts.values()) {
      account.safeShare = Math.floor((this.#capacity * account.weight) / weights)
      left -= account.safeShare
    }
    for (const account of this.#accounts.values()) if (left-- > 0) account.safeShare++
  }
}

/** How much of what is asked for in case nobody needs it there is, 0..1, once everybody has what it wants. */
const spareShare = (left: number, accounts: readonly Account[]): number => {
  let wanted = 0
  let spare = 0
  for (const account of accounts) {
    wanted += account.want
    spare += account.spare
  }
  return spare > 0 ? Math.min(1, (left - wanted) / spare) : 0
}
