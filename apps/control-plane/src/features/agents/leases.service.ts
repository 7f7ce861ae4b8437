import type { LeaseShare, Leases as LeasesAnswer } from '@weir/api'
import { DEFAULT_TENANTS, type EffectivePolicy, type LeaseName, RATE_GRAINS } from '@weir/policy/model'
import type { Leases } from '../leases/leases-port.ts'
import { type PageRequest, type Rows, rowsOf } from '../paging.ts'
import type { EffectivePolicies } from '../policies/effective-policies.ts'
import { done, type Result, refused } from '../result.ts'
import type { AgentHub } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'

/** What REST asks about the leases of a service. */
export class LeasesService {
  constructor(
    private readonly hub: AgentHub,
    private readonly leases: Leases,
    private readonly policies: Pick<EffectivePolicies, 'latest'>,
  ) {}

  async of(ref: ServiceRef): Promise<Result<LeasesAnswer>> {
    const room = await this.hub.room(ref)
    if (room === null) return NO_SERVICE(ref)
    const [figures, latest] = await Promise.all([
      this.leases.figures(room.serviceId),
      this.policies.latest(room.serviceId),
    ])
    const policy = latest === null ? null : (JSON.parse(latest.effective) as EffectivePolicy).policy
    const { expiry, holdSeconds } = { ...DEFAULT_TENANTS, ...policy?.tenants }
    const items = (figures?.quotas ?? []).map(({ capacity, ...rest }) => inUnits({ quota: capacity, ...rest }))
    items.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    let uncounted = 0
    for (const { record } of room.roster.values()) if (record.uncounted) uncounted++
    return done({ refreshMs: figures?.refreshMs ?? null, expiry, holdSeconds, uncounted, items })
  }

  async shares(ref: ServiceRef, name: LeaseName, page: PageRequest<string>): Promise<Result<Rows<LeaseShare>>> {
    const room = await this.hub.room(ref)
    if (room === null) return NO_SERVICE(ref)
    const { after, limit } = page
    const rows = await this.leases.shares(room.serviceId, name, { after, limit: limit + 1 })
    if (rows === null) return refused('not-found', 'No agent has asked for this quota.')
    return done(
      rowsOf(rows, limit, ({ agent, ...rest }) => ({ instance: agent, ...inUnits({ kind: name.kind, ...rest }) })),
    )
  }
}

const NO_SERVICE = ({ environment, service }: ServiceRef) =>
  refused('not-found', `There is no service ${service} in ${environment}.`)

const placeOf = ({ resource, tenant, kind }: LeaseName): string => JSON.stringify([resource, tenant, kind])

const AMOUNTS = ['quota', 'granted', 'wanted', 'used', 'usable', 'safe', 'waiting', 'outstanding', 'reserved']

/** Rates are counted in millionths; screens are told units per second. */
const inUnits = <T extends { readonly kind: LeaseName['kind'] }>(figures: T): T => {
  if (figures.kind === 'slots') return figures
  const entries = Object.entries(figures).map(([key, value]) => [
    key,
    AMOUNTS.includes(key) && typeof value === 'number' ? value / RATE_GRAINS : value,
  ])
  return Object.fromEntries(entries) as T
}
