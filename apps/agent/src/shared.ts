import { type EvenSplit, type LeaseName, SOLE, UNCOUNTED } from '@weir/policy/model'
import type { Scales } from '@weir/wire/model'
import type { GateSettings } from './admission/gate.ts'
import { gateSettings } from './in-force.ts'
import type { Leases } from './leases/leases.ts'
import type { Policies } from './policy/standing.ts'
import { Scaled } from './scaled.ts'

/** What this process has of one quota: units per second, or slots. */
export interface LeaseStatus extends LeaseName {
  readonly usable: number
  /** Its lease runs; else it is on its safe capacity, or waits for it. */
  readonly leased: boolean
}

/** What of the fleet's quotas this process has: leases of those that are listed, an even part of the rest. */
export class Shared {
  /** Listed quotas are never answered: an even part of them as well, outside of what the control plane counts. */
  uncounted = false
  readonly #state: Policies
  /** `null`: there is no control plane to lease from. */
  readonly #leases: Leases | null
  readonly #scaled = new Scaled()
  /** As last told; `null`: never. */
  #split: EvenSplit | null = null
  #scales: Scales = {}

  constructor(state: Policies, leases: Leases | null) {
    this.#state = state
    this.#leases = leases
  }

  told(split: EvenSplit | null, scales: Scales): void {
    this.#split = split
    this.#scales = scales
  }

  /** A file and the built-in policy know of no other process: their quotas are this one's. */
  get split(): EvenSplit {
    return this.#split ?? (this.#state.standing.identity === null ? SOLE : UNCOUNTED)
  }

  get scales(): Scales {
    return this.#scales
  }

  gate(name: string): GateSettings {
    const { split, scales } = this
    return gateSettings(this.#state, name, { split, scales, scaled: this.#scaled, leases: this.#inForce })
  }

  status(nowMs: number): LeaseStatus[] {
    return (this.#inForce?.all ?? []).flatMap((leased) => leased.status(nowMs))
  }

  /** Nothing may pass that was never granted where that is the rule, whoever does not answer. */
  get #inForce(): Leases | null {
    return this.uncounted && this.#state.effective.policy.tenants.expiry !== 'deny' ? null : this.#leases
  }
}
