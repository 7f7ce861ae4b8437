import { Injectable } from '@nestjs/common'
import type { Quota, Quotas } from '@weir/policy/model'
import type { BookBefore } from '../../features/leases/lease-book.ts'
import { LeaseStore } from '../../features/leases/leases-port.ts'
import { quotasOf } from '../../features/policies/effective.ts'
import { Database } from './database.ts'

type Limits = Pick<Quota, 'rate' | 'concurrency'>

interface LimitsLine extends Limits {
  readonly resource: string
  readonly tenant: string
}

/** Names of resources have no slash: what follows the first one is the tenant. */
const CHANGES = `
  SELECT split_part(target, '/', 1) AS resource, substr(target, strpos(target, '/') + 1) AS tenant, detail AS after,
    detail->'former' AS before
  FROM audit a JOIN environment e ON e.name = a.environment JOIN service s ON s.environment_id = e.id AND s.name = a.service
  WHERE s.id = $1 AND a.action IN ('quota.set', 'quota.remove') AND a.at >= now() - make_interval(secs => $2)`

/** The quotas that there are, and what the audit says of those that there were: each write tells what was before it. */
@Injectable()
export class PrismaLeaseStore extends LeaseStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async before(serviceId: string, withinMs: number): Promise<BookBefore> {
    const { pool } = this.database
    const [agents, present, changes] = await Promise.all([
      pool.query<{ instance: string }>('SELECT instance FROM agent WHERE service_id = $1 AND ended_at IS NULL', [
        serviceId,
      ]),
      pool.query<LimitsLine>('SELECT resource, tenant, rate, concurrency FROM quota WHERE service_id = $1', [
        serviceId,
      ]),
      pool.query<{ resource: string; tenant: string; after: Partial<Limits>; before: Partial<Limits> | null }>(
        CHANGES,
        [serviceId, withinMs / 1_000],
      ),
    ])
    const former = changes.rows.flatMap(({ resource, tenant, after, before }) =>
      [after, before].map((limits) => ({
        resource,
        tenant,
        rate: limits?.rate ?? null,
        concurrency: limits?.concurrency ?? null,
      })),
    )
    return {
      agents: new Set(agents.rows.map(({ instance }) => instance)),
      quotas: largest([...present.rows, ...former]),
    }
  }
}

const largest = (lines: readonly LimitsLine[]): Quotas => {
  const most = new Map<string, LimitsLine>()
  for (const line of lines) {
    const key = JSON.stringify([line.resource, line.tenant])
    const { rate = null, concurrency = null } = most.get(key) ?? {}
    most.set(key, { ...line, rate: larger(rate, line.rate), concurrency: larger(concurrency, line.concurrency) })
  }
  return quotasOf(Array.from(most.values(), (line) => ({ ...line, burst: null, weight: 1 })))
}

/** `null`: not limited, so not leased. */
const larger = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)
