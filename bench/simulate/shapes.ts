import type { Quotas } from '@weir/policy/model'
import { hold, ramp, type Shape } from '@weir/testkit'
import type { RealService } from './message.ts'
import type { Mix } from './real.ts'

/** A load, the policy in front of it and the service behind that. */
export interface Trial {
  readonly name: string
  readonly policy: string
  readonly quotas: Quotas
  readonly service: RealService
  readonly shape: Shape
  readonly mix: Mix
  /** Loads on which nothing waits: what the service takes is measured there. */
  readonly calm: Shape
}

const CALM = [hold(80, 8_000)]

export const TRIALS: readonly Trial[] = [
  {
    name: 'step',
    policy: `
gates:
  checkout:
    concurrency: 20
    queue: { maxWaitMs: 150 }
    classes: { reserves: { critical: 0.3 } }
`,
    quotas: {},
    service: { medianMs: 40, sigma: 0.6 },
    shape: [hold(250, 8_000), hold(800, 15_000), hold(250, 8_000)],
    mix: { classes: { critical: 1, sheddable: 3 }, tenants: { acme: 1 } },
    calm: CALM,
  },
  {
    name: 'tenants',
    policy: `
gates:
  checkout:
    concurrency: { algorithm: gradient2, floor: 4, initial: 20, ceiling: 100 }
    queue: { maxWaitMs: 100 }
tenants: { default: { rate: 120, burst: 30 } }
`,
    quotas: {},
    service: { medianMs: 25, sigma: 0.4, connections: 10 },
    shape: [hold(250, 6_000), ramp(250, 900, 12_000), hold(900, 12_000)],
    mix: {
      classes: { critical: 1, 'sheddable-plus': 1, sheddable: 2 },
      tenants: { acme: 4, zeta: 2, ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`small-${i}`, 0.2])) },
    },
    calm: CALM,
  },
]
