import type { Gate } from '@weir/agent/simulation'
import type { Fate, GatePrediction } from '@weir/api'
import { isOther } from './demand.ts'
import { Latencies } from './latencies.ts'

/** Figures of the gate's own books that make up a fate. */
const FATES = {
  'weir.gate.offered': 'offered',
  'weir.gate.accepted': 'accepted',
  'weir.gate.shed': 'shed',
  'weir.gate.expired': 'expired',
  'weir.gate.completed': 'completed',
  'weir.gate.late': 'late',
  'weir.gate.failed': 'failed',
} as const satisfies Record<string, keyof Fate>

const MOST_TENANTS = 20
const none = (): Fate => ({ offered: 0, accepted: 0, shed: 0, expired: 0, completed: 0, late: 0, failed: 0 })

/** What became of the work of one gate, in all processes together: the counts are the gates' own books. */
export class Tally {
  readonly latency = new Latencies()
  readonly wait = new Latencies()
  readonly #total = none()
  readonly #classes: Record<string, Fate> = Object.create(null)
  readonly #tenants: Record<string, Fate> = Object.create(null)
  readonly #reasons: Record<string, number> = Object.create(null)

  read(gate: Gate): void {
    gate.collect({
      counter: (name, delta, attributes) => {
        const fate = (FATES as Partial<Record<string, keyof Fate>>)[name]
        if (fate === undefined) return
        this.#total[fate] += delta
        this.#of(this.#classes, String(attributes.class))[fate] += delta
        const tenant = String(attributes.tenant ?? '')
        this.#of(this.#tenants, tenant === '' ? 'none' : isOther(tenant) ? 'other' : tenant)[fate] += delta
        if (attributes.reason === undefined) return
        const reason = String(attributes.reason)
        this.#reasons[reason] = (this.#reasons[reason] ?? 0) + delta
      },
      gauge: () => undefined,
      histogram: () => undefined,
    })
  }

  result(): GatePrediction {
    return {
      ...this.#total,
      classes: { ...this.#classes },
      tenants: largest(this.#tenants),
      reasons: { ...this.#reasons },
      latencyMs: this.latency.percentiles(),
      waitMs: this.wait.percentiles(),
    }
  }

  #of(fates: Record<string, Fate>, key: string): Fate {
    fates[key] ??= none()
    return fates[key]
  }
}

/** The most offered; what is beyond them is added to `other`. */
const largest = (tenants: Readonly<Record<string, Fate>>): Record<string, Fate> => {
  const ordered = Object.entries(tenants).sort(([, a], [, b]) => b.offered - a.offered)
  const kept: Record<string, Fate> = Object.fromEntries(ordered.slice(0, MOST_TENANTS))
  for (const [, fate] of ordered.slice(MOST_TENANTS)) {
    kept.other ??= none()
    for (const key of Object.values(FATES)) kept.other[key] += fate[key]
  }
  return kept
}
