import { DEFAULT_TENANTS, type GatePolicy, SOLE, type TenantsPolicy } from '@weir/policy/model'
import { gateSchema } from '@weir/policy/schema'
import { Gate } from '../admission/gate.ts'
import { realClock, realTimers } from '../core/real.ts'
import { NO_SAMPLES, type Sampler } from '../core/sampling.ts'

/** Resolves when `test` holds: real sockets have their own pace. */
export const until = async (test: () => boolean): Promise<void> => {
  const end = Date.now() + 20_000
  while (!test()) {
    if (Date.now() > end) throw new Error('What was waited for did not happen.')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export interface Open {
  readonly promise: Promise<unknown>
  open(value?: unknown): void
}

/** A door that a handler waits at. */
export const door = (): Open => {
  let open: (value?: unknown) => void = () => undefined
  const promise = new Promise((resolve) => {
    open = resolve
  })
  return { promise, open }
}

/** A real gate and its books. */
export class GateRig {
  readonly gate: Gate
  readonly #counts = new Map<string, number>()

  constructor(policy: object, tenants: Partial<TenantsPolicy> = {}, sampler: Sampler = NO_SAMPLES) {
    const parsed = gateSchema.parse(policy)
    this.gate = new Gate({
      name: 'http',
      sampler,
      runtime: { clock: realClock, timers: realTimers, random: Math.random, onError: () => undefined },
      settings: {
        policy: { ...parsed, resource: 'http' } as GatePolicy,
        revision: 7,
        tenants: { ...DEFAULT_TENANTS, ...tenants },
        quotas: {},
        split: SOLE,
      },
    })
  }

  /** Everything counted so far, by the last word of its metric; what is 0 is left out. */
  books(): Record<string, number> {
    this.gate.collect({
      counter: (name, delta) => this.#count(name, delta),
      gauge: () => undefined,
      histogram: () => undefined,
    })
    return Object.fromEntries(this.#counts)
  }

  #count(name: string, delta: number): void {
    const word = name.slice(10)
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + delta)
  }

  get slots(): { active: number; zombies: number; waiting: number } {
    const { active, zombies, waiting } = this.gate.report()
    return { active, zombies, waiting }
  }

  /** Work that is being made durable. */
  get deferring(): number {
    let deferring = 0
    this.gate.collect({
      counter: (name, delta) => this.#count(name, delta),
      gauge: (name, value) => {
        if (name === 'weir.gate.deferring') deferring = value
      },
      histogram: () => undefined,
    })
    return deferring
  }

  idle(): Promise<void> {
    return until(() => Object.values(this.slots).every((count) => count === 0))
  }
}
