import { type LeaseName, type Quotas, RATE_GRAINS } from '@weir/policy/model'
import type { Random } from '@weir/testkit'

type Kind = LeaseName['kind']

export interface SharedQuota {
  /** Whole units. */
  readonly units: number
  readonly kind: Kind
}

/** Quotas that each agent draws on, beside the one that all share. */
const DRAWS = 4
/** A quota is between scarce and ample beside what is wanted of it on average. */
const SCARCEST = 0.4
const AMPLEST = 1.6
const RATE_LOAD = 20
const SLOTS_LOAD = 8
const SLOTS_EVERY = 4

const RESOURCE = 'shared'

export const nameOf = (quota: number, kind: Kind): LeaseName => ({ resource: RESOURCE, tenant: String(quota), kind })

/** As a policy has them. */
export const published = (quotas: readonly SharedQuota[]): Quotas => ({
  [RESOURCE]: Object.fromEntries(
    quotas.map(({ units, kind }, quota) => [
      String(quota),
      {
        rate: kind === 'rate' ? units / RATE_GRAINS : null,
        burst: null,
        concurrency: kind === 'slots' ? units : null,
        weight: 1,
      },
    ]),
  ),
})

/** The first is a rate that every agent draws on, half of what they want. */
export const quotasOf = (agents: number, quotas: number, random: Random): SharedQuota[] => {
  const each = (agents * DRAWS) / Math.max(1, quotas - 1)
  return Array.from({ length: quotas }, (_, i) => {
    const kind = i > 0 && i % SLOTS_EVERY === 0 ? 'slots' : 'rate'
    const ample = SCARCEST + (AMPLEST - SCARCEST) * random()
    if (i === 0) return { kind, units: Math.round(agents * RATE_LOAD * 0.5) * RATE_GRAINS }
    if (kind === 'slots') return { kind, units: Math.ceil(each * SLOTS_LOAD * ample) }
    return { kind, units: Math.ceil(each * RATE_LOAD * ample) * RATE_GRAINS }
  })
}

/** Which quotas one agent draws on: that of all, and a few more. */
export const drawnOf = (quotas: readonly SharedQuota[], random: Random): number[] => {
  const drawn = new Set([0])
  while (drawn.size < Math.min(DRAWS + 1, quotas.length)) drawn.add(Math.floor(random() * quotas.length))
  return [...drawn]
}

/** What one agent wants of a quota: many little, some ten times as much. */
export const loadOf = (kind: Kind, random: Random): number =>
  (kind === 'slots' ? SLOTS_LOAD : RATE_LOAD) * -Math.log(1 - random())

/** Of a load, whole units. */
export const unitsOf = (kind: Kind, load: number): number => (kind === 'slots' ? Math.round(load) : load * RATE_GRAINS)
