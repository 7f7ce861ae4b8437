import type { BudgetPolicy } from '@weir/policy/model'
import { RollingWindow } from './window.ts'

/** How many retries a process may send towards one dependency. Decided before the sleep; a retry that sleeps has been paid for. */
export interface RetryBudget {
  /** A first attempt was sent. */
  deposit(now: number): void
  succeeded(now: number): void
  /** An attempt failed in a way that a retry might heal. */
  failed(now: number): void
  /** Pays for one retry; false = none left. */
  withdraw(now: number): boolean
  /** Share that is left, 0..1. */
  left(now: number): number
}

type TokenBucketPolicy = Extract<BudgetPolicy, { kind: 'token-bucket' }>
type RatioPolicy = Extract<BudgetPolicy, { kind: 'ratio' }>

const THOUSAND = 1_000

/**
 * gRPC's retry throttling (gRFC A6): a failure costs a token, a success gives `ratio` back, retries only above half of `maxTokens`.
 * Counted in whole thousandths: 0.1 added ten times is 1.
 */
export class TokenBucketBudget implements RetryBudget {
  #maximum: number
  #gain: number
  #tokens: number

  constructor(policy: TokenBucketPolicy, leftShare = 1) {
    this.#maximum = Math.round(policy.maxTokens * THOUSAND)
    this.#gain = Math.round(policy.ratio * THOUSAND)
    this.#tokens = (this.#maximum / 2) * (1 + leftShare)
  }

  deposit(): void {}

  succeeded(): void {
    this.#tokens = Math.min(this.#maximum, this.#tokens + this.#gain)
  }

  failed(): void {
    this.#tokens = Math.max(0, this.#tokens - THOUSAND)
  }

  withdraw(): boolean {
    return this.#tokens > this.#maximum / 2
  }

  left(): number {
    return Math.max(0, (this.#tokens * 2) / this.#maximum - 1)
  }

  /** Tokens, in units. */
  get tokens(): number {
    return this.#tokens / THOUSAND
  }

  /** Keeps what was used: tokens move with the maximum. */
  adjust(policy: TokenBucketPolicy): void {
    const maximum = Math.round(policy.maxTokens * THOUSAND)
    this.#tokens = Math.min(maximum, Math.max(0, this.#tokens + maximum - this.#maximum))
    this.#maximum = maximum
    this.#gain = Math.round(policy.ratio * THOUSAND)
  }
}

const SLOTS = 10
const DEPOSITS = 0
const WITHDRAWALS = 1
/** Of share x deposits: binary fractions must not cost a whole retry. */
const EPSILON = 1e-9

/**
 * Finagle's retry budget: each first attempt deposits `share` of a retry, which expires after `windowMs`; `floorPerSecond` keeps quiet
 * clients able to retry. Retries deposit nothing, or they would pay for themselves.
 */
export class RatioBudget implements RetryBudget {
  #policy: RatioPolicy
  readonly #window: RollingWindow

  constructor(policy: RatioPolicy, now: number) {
    this.#policy = policy
    this.#window = new RollingWindow(policy.windowMs, SLOTS, 2, now)
  }

  deposit(now: number): void {
    this.#window.add(now, DEPOSITS, 1)
  }

  succeeded(): void {}

  failed(): void {}

  withdraw(now: number): boolean {
    if (this.balance(now) < 1) return false
    this.#window.add(now, WITHDRAWALS, 1)
    return true
  }

  left(now: number): number {
    const all = this.#earned(now)
    return all < 1 ? 1 : Math.min(1, Math.max(0, this.balance(now) / Math.floor(all + EPSILON)))
  }

  /** Whole retries that may be sent now. */
  balance(now: number): number {
    return Math.floor(this.#earned(now) - this.#window.sum(now, WITHDRAWALS) + EPSILON)
  }

  adjust(policy: RatioPolicy, now: number): void {
    this.#window.resize(policy.windowMs, now)
    this.#policy = policy
  }

  #earned(now: number): number {
    const { share, floorPerSecond, windowMs } = this.#policy
    return this.#window.sum(now, DEPOSITS) * share + (floorPerSecond * windowMs) / 1_000
  }
}

/** The budget that `policy` asks for. `present` keeps its state where the kind stays; another kind starts from the share that was left. */
export const budgetFor = (policy: BudgetPolicy, present: RetryBudget | null, now: number): RetryBudget => {
  if (policy.kind === 'token-bucket') {
    if (!(present instanceof TokenBucketBudget)) return new TokenBucketBudget(policy, present?.left(now) ?? 1)
    present.adjust(policy)
    return present
  }
  if (!(present instanceof RatioBudget)) return new RatioBudget(policy, now)
  present.adjust(policy, now)
  return present
}
