import { usableAt } from '@weir/policy/model'
import type { Account } from './account.ts'

/** What screens and simulations see of a ledger, whole units. */
export interface LedgerFigures {
  readonly capacity: number
  readonly agents: number
  readonly wanted: number
  readonly used: number
  /** What the leases that run allow. */
  readonly granted: number
  /** What may be used once all leases have ended and all waits are over. */
  readonly safe: number
  /** Between the two: the lesser of each agent's lease and safe capacity. */
  readonly waiting: number
  /** Most that may be used at this moment, whatever was lost on its way. */
  readonly outstanding: number
  /** Held back for those that are silent or unknown. */
  readonly reserved: number
  /** From now until the last lease has ended, the last wait is over, and the last agent counts as dead, milliseconds. */
  readonly endInMs: number
  readonly stepInMs: number
  readonly deadInMs: number
}

/** Where an agent is with a quota: its lease runs; it waits until others' leases have ended; it is on its safe capacity. */
export type LeaseStage = 'leased' | 'waiting' | 'safe'

/** One agent's part of a quota, whole units. */
export interface LeaseShare {
  readonly agent: string
  readonly stage: LeaseStage
  readonly wanted: number
  readonly used: number
  /** What it may use now. */
  readonly usable: number
  readonly safe: number
}

export const sumOf = (accounts: Iterable<Account>, nowMs: number) => {
  const sum = { agents: 0, wanted: 0, used: 0, granted: 0, safe: 0, waiting: 0, outstanding: 0 }
  let [endsMs, stepMs, deadMs] = [nowMs, nowMs, nowMs]
  for (const account of accounts) {
    sum.agents++
    sum.wanted += account.want
    sum.used += account.used
    sum.outstanding += account.usable(nowMs, nowMs)
    const { last } = account
    if (last === null || last.deadMs <= nowMs) continue
    if (last.expiresMs > nowMs) sum.granted += last.units
    sum.safe += last.safe
    sum.waiting += Math.min(last.units, last.safe)
    endsMs = Math.max(endsMs, last.expiresMs)
    stepMs = Math.max(stepMs, last.stepMs)
    deadMs = Math.max(deadMs, last.deadMs)
  }
  return { ...sum, endInMs: endsMs - nowMs, stepInMs: stepMs - nowMs, deadInMs: deadMs - nowMs }
}

export const shareOf = (account: Account, nowMs: number): LeaseShare => {
  const { agent, want, used, last } = account
  const stage =
    last !== null && nowMs < last.expiresMs ? 'leased' : last !== null && nowMs < last.stepMs ? 'waiting' : 'safe'
  return { agent, stage, wanted: want, used, usable: last === null ? 0 : usableAt(last, nowMs), safe: last?.safe ?? 0 }
}
