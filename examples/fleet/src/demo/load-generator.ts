import { setTimeout as pause } from 'node:timers/promises'
import type { LoadCommand, LoadReport, LoadTotals, TenantTotals } from '../load-messages.ts'
import { TENANTS, type Tenant } from '../shape.ts'
import { type Child, start } from './child.ts'

/** What happened between two moments, over all tenants or one. */
export interface Interval extends TenantTotals {
  readonly seconds: number
}

/** The load generator's process, as the demo steers and reads it. */
export class LoadGenerator {
  readonly child: Child
  #last: LoadReport | undefined
  #at = 0

  constructor(targets: readonly string[]) {
    this.child = start('load', new URL('../load.js', import.meta.url).pathname, targets, {})
    this.child.process.on('message', (report: LoadReport) => {
      this.#last = report
      this.#at = performance.now()
    })
  }

  rate(perSecond: number): void {
    this.child.process.send({ perSecond } satisfies LoadCommand)
  }

  /** Totals since its start, and when they were taken. */
  get now(): { totals: LoadTotals; at: number; open: number } | undefined {
    return this.#last && { totals: this.#last.totals, at: this.#at, open: this.#last.open }
  }

  /** Measures for a while. */
  async measure(ms: number): Promise<(tenant?: Tenant) => Interval> {
    const before = this.now
    await pause(ms)
    const after = this.now
    if (!before || !after) throw new Error('The load generator has not said anything yet.')
    return (tenant) => difference(before, after, tenant)
  }
}

const ZERO: TenantTotals = { sent: 0, ok: 0, refused: 0, failed: 0, unsent: 0 }

/** Sums over one tenant or all of them. */
export const sum = (totals: LoadTotals, tenant?: Tenant): TenantTotals =>
  (tenant ? [tenant] : (Object.keys(TENANTS) as Tenant[])).reduce((all, name) => add(all, totals[name], 1), ZERO)

const add = (a: TenantTotals, b: TenantTotals, sign: 1 | -1): TenantTotals => ({
  sent: a.sent + sign * b.sent,
  ok: a.ok + sign * b.ok,
  refused: a.refused + sign * b.refused,
  failed: a.failed + sign * b.failed,
  unsent: a.unsent + sign * b.unsent,
})

const difference = (
  before: { totals: LoadTotals; at: number },
  after: { totals: LoadTotals; at: number },
  tenant?: Tenant,
): Interval => ({
  ...add(sum(after.totals, tenant), sum(before.totals, tenant), -1),
  seconds: (after.at - before.at) / 1_000,
})
