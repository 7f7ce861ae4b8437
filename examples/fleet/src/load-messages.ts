import type { Tenant } from './shape.ts'

/** To the load generator: arrivals per second from now on. */
export interface LoadCommand {
  readonly perSecond: number
}

/** What became of each request, by its answer: ok = 2xx, refused = by the gate of orders, failed = anything else or no answer: also what payments refused. */
export interface TenantTotals {
  sent: number
  ok: number
  refused: number
  failed: number
  unsent: number
}
export type LoadTotals = Record<Tenant, TenantTotals>

/** From the load generator, ten times a second; totals since its start. */
export interface LoadReport {
  readonly type: 'totals'
  readonly totals: LoadTotals
  readonly open: number
  readonly perSecond: number
}
