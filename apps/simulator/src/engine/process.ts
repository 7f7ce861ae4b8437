import { Gate, type GateSettings, Resources, type Runtime, Signals } from '@weir/agent/simulation'
import type { Traffic } from '@weir/api'
import { type EffectivePolicy, type EvenSplit, unnamedGate } from '@weir/policy/model'
import type { VirtualTime } from '@weir/testkit'
import { Station } from './station.ts'

/** One gate of one process, and what stands behind it. */
export interface Seat {
  readonly gate: Gate
  readonly station: Station
}

/** Readings of a real process that virtual time has none of. */
const UNKNOWN = {
  eventLoopDelayMs: Number.NaN,
  eventLoopUtilization: Number.NaN,
  heapShare: Number.NaN,
  gcShare: Number.NaN,
  cpuShare: Number.NaN,
}
const blind = { start: () => undefined, read: () => UNKNOWN, stop: () => undefined }

/** One process of the service: the agent's own gates under the policy, with this process' even share of the quotas. */
export class Process {
  readonly seats = new Map<string, Seat>()
  readonly #signals: Signals

  constructor(
    traffic: Traffic,
    effective: EffectivePolicy,
    split: EvenSplit,
    runtime: Runtime & { readonly time: VirtualTime },
  ) {
    const resources = new Resources()
    this.#signals = new Signals(runtime, blind)
    for (const [name, { service }] of Object.entries(traffic.gates)) {
      const settings = settingsOf(effective, name, split)
      const gate = new Gate({ name, runtime, settings, resources, modeOverride: null, tenantLabels: 10_000 })
      if (Object.keys(settings.policy.signals).length > 0) this.#signals.watch(gate, () => settings.policy.signals)
      this.seats.set(name, { gate, station: new Station(runtime.time, service.concurrency) })
    }
  }

  close(): void {
    this.#signals.close()
    for (const { gate } of this.seats.values()) gate.close()
  }
}

/** What the policy says to one gate. One that it does not name observes. */
const settingsOf = ({ policy, quotas }: EffectivePolicy, name: string, split: EvenSplit): GateSettings => {
  const gate = own(policy.gates, name) ?? unnamedGate(name)
  return { policy: gate, tenants: policy.tenants, quotas: own(quotas, gate.resource) ?? {}, split, revision: 1 }
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
