import type { Tenant } from './shape.ts'

/** To the load generator: arrivals per second from now on. */
export interface LoadCommand {
  readonly perSecond: number
}

/** What became of each request, by its answer: ok = 2xx, refused = 429 or 503, failed = anything else or no answer. */
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
