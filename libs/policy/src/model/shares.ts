import type { Quota } from './policy.ts'

/** Which of how many live agents an agent is: `0 <= rank < agents`. What is not leased is split evenly. */
export interface EvenSplit {
  readonly agents: number
  readonly rank: number
}

/** The whole quota for the only agent. */
export const SOLE: EvenSplit = { agents: 1, rank: 0 }

/**
 * The share of an agent that was never told one: a thousandth. So many members a key may have, lost ones included, and an agent that is told no share is
 * one that was not counted. Whole quotas in its hands would let a fleet pass many times what it may.
 */
export const UNCOUNTED: EvenSplit = { agents: 1_000, rank: 999 }

/**
 * An agent's even share of a whole-unit quota, by largest remainder: shares sum to exactly `units`, never more.
 * `offset` rotates who gets the remainder, so that one agent does not collect the odd unit of every quota.
 */
export const shareOfUnits = (units: number, split: EvenSplit, offset = 0): number => {
  const whole = Math.floor(units / split.agents)
  const position = (split.rank + offset) % split.agents
  return whole + (position < units - whole * split.agents ? 1 : 0)
}

/** An agent's even share of a rate, units per second. */
export const shareOfRate = (rate: number, split: EvenSplit): number => rate / split.agents

/** FNV-1a, 32 bits: spreads remainders over tenants; not for security. */
export const spread = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Burst that a quota means when it names none: one second of its rate, at least one unit. */
export const burstOf = (quota: Quota): number => quota.burst ?? Math.max(1, quota.rate ?? 0)

/** An agent's even share of a tenant's quota. Shares of all agents sum to at most the quota. */
export const shareOfQuota = (quota: Quota, split: EvenSplit, tenant: string): Quota => ({
  rate: quota.rate === null ? null : shareOfRate(quota.rate, split),
  burst: quota.rate === null ? null : burstOf(quota) / split.agents,
  concurrency: quota.concurrency === null ? null : shareOfUnits(quota.concurrency, split, spread(tenant)),
  weight: quota.weight,
})

/** A quota under feedback, at a share 0..1 of itself: one that lets anything pass lets at least one slot pass. */
export const scaleQuota = (quota: Quota, scale: number): Quota =>
  scale >= 1
    ? quota
    : {
        rate: quota.rate === null ? null : quota.rate * scale,
        burst: quota.burst === null ? null : quota.burst * scale,
        concurrency:
          quota.concurrency === null
            ? null
            : Math.max(Math.min(1, quota.concurrency), Math.floor(quota.concurrency * scale)),
        weight: quota.weight,
      }
