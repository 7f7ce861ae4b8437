import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PolicyDocument } from '@weir/policy'
import { load } from '../load/load.ts'
import type { Kind, Records, Stream } from '../load/plan.ts'
import type { Side } from '../run.ts'
import type { Stage } from '../scenarios/scenario.ts'
import type { BackendSettings } from './backend.ts'
import type { FrontSettings } from './front.ts'
import { Member } from './member.ts'
import type { ServiceSettings } from './messages.ts'

/** How long a shopper waits. */
export const PATIENCE_MS = 1_000
export const MAX_WAIT_MS = 300

/** What the payment service has: so many connections, and so long for each payment. */
export interface Size {
  readonly connections: number
  readonly workMs: number
  readonly replicas: number
}
export const sizeOf = ({ quick }: Stage): Size => ({ connections: quick ? 3 : 5, workMs: 40, replicas: 1 })

/** Shares of the front's slots. */
export const RESERVES = { critical: 0.4, 'sheddable-plus': 0.2, sheddable: 0.1 } as const

type ClassesDocument = NonNullable<NonNullable<PolicyDocument['gates']>[string]['classes']>

export type Policies = Readonly<Record<'front' | 'payments' | 'catalog', PolicyDocument>>

/** Somewhat more than there are connections, so that none waits for a request to be read or an answer to be sent. */
const slotsFor = (connections: number): number => Math.ceil(1.5 * connections)
export const slotsOf = ({ connections, replicas }: Size): number => slotsFor(connections) * replicas

export const policiesOf = (size: Size, classes: ClassesDocument = {}): Policies => ({
  front: {
    gates: {
      checkout: {
        edge: true,
        concurrency: slotsOf(size),
        queue: { maxWaitMs: MAX_WAIT_MS },
        deadline: { defaultMs: PATIENCE_MS },
        classes: { reserves: RESERVES, ...classes },
      },
      browse: { edge: true, concurrency: 8, queue: { maxWaitMs: MAX_WAIT_MS } },
    },
    dependencies: {
      payments: { internal: true, ceiling: 2 * slotsOf(size), timeoutMs: 900 },
      catalog: { internal: true, ceiling: 8, timeoutMs: 900 },
    },
  },
  payments: { gates: { work: { concurrency: slotsFor(size.connections), queue: { maxWaitMs: 100 } } } },
  catalog: { gates: { work: { concurrency: 6, queue: { maxWaitMs: 100 } } } },
})

/** The same, with a front that learns its limit. */
export const adaptive = (policies: Policies): Policies => {
  const { gates } = policies.front
  const concurrency = { algorithm: 'gradient2' as const, floor: 2, initial: 8, ceiling: 40 }
  return {
    ...policies,
    front: { ...policies.front, gates: { ...gates, checkout: { ...gates?.checkout, concurrency } } },
  }
}

/** A front, the payment service's replicas and a catalog, each a process. */
export interface Shop {
  readonly members: readonly Member[]
  readonly front: Member
  readonly payments: readonly Member[]
  stop(): Promise<void>
}

export type WeirOf = (service: string, policy: PolicyDocument) => Promise<ServiceSettings['weir']>

/** The agent of each on a policy file of its own, as a service starts that has not met its control plane yet. */
export const byFile =
  ({ folder }: Stage): WeirOf =>
  async (service, policy) => {
    const bootstrapFile = join(folder, `${service}.json`)
    await writeFile(bootstrapFile, JSON.stringify(policy))
    return { bootstrapFile, snapshotDir: false }
  }

export interface Opening {
  readonly size?: Size
  readonly policies?: Policies
  readonly weirOf?: WeirOf
}

export const openShop = async (
  side: Side,
  stage: Stage,
  { size = sizeOf(stage), policies = policiesOf(size), weirOf = byFile(stage) }: Opening = {},
): Promise<Shop> => {
  const { seed } = stage
  const weirFor = (service: keyof Policies) => (side === 'with' ? weirOf(service, policies[service]) : null)
  const backend = async (name: string, of: 'payments' | 'catalog', connections: number, workMs: number) =>
    Member.start('backend', { name, connections, workMs, seed, weir: await weirFor(of) } satisfies BackendSettings)
  const payments = await Promise.all(
    Array.from({ length: size.replicas }, (_, i) =>
      backend(`payments-${i + 1}`, 'payments', size.connections, size.workMs),
    ),
  )
  const catalog = await backend('catalog', 'catalog', 4, 5)
  const front = await Member.start('front', {
    name: 'front',
    weir: await weirFor('front'),
    payments: payments.map(({ url }) => url),
    catalog: catalog.url,
  } satisfies FrontSettings)
  const members = [front, catalog, ...payments]
  return { members, front, payments, stop: async () => void (await Promise.all(members.map((one) => one.stop()))) }
}

const order = (share: number, criticality: string): Kind => ({
  name: `order ${criticality}`,
  share,
  method: 'POST',
  path: '/orders',
  headers: { 'weir-criticality': criticality },
})
export const ORDERS: readonly Kind[] = [order(0.2, 'critical'), order(0.6, 'sheddable-plus'), order(0.2, 'sheddable')]
export const BROWSE: Kind = { name: 'browse', share: 1, method: 'GET', path: '/browse', headers: {} }

/** What the fleet can do without Weir: as many callers as its pools have connections, each asking again as soon as it was answered. */
export const measureCapacity = async (stage: Stage, size = sizeOf(stage)): Promise<number> => {
  const known = stage.capacities.get(JSON.stringify(size))
  if (known !== undefined) return known
  const shop = await openShop('without', stage, { size })
  try {
    const seconds = stage.quick ? 3 : 5
    const stream: Stream = { shape: [], kinds: ORDERS, targets: [shop.front.url] }
    const callers = slotsOf(size)
    const { records } = await load({ type: 'closed', callers, seconds, stream }, () => undefined)
    const capacity = best(await records, seconds)
    stage.capacities.set(JSON.stringify(size), capacity)
    stage.say(`Capacity: ${capacity.toFixed(0)} orders a second.`)
    return capacity
  } finally {
    await shop.stop()
  }
}

/** Good answers a second in the best two seconds: other processes of the machine only ever take away. */
export const best = ({ endMs, outcome }: Records, seconds: number): number => {
  const well = endMs.filter((_, i) => outcome[i] === 0)
  const rates = Array.from({ length: 4 * (seconds - 2) + 1 }, (_, i) => {
    const fromMs = 250 * i
    return well.filter((at) => at >= fromMs && at < fromMs + 2_000).length / 2
  })
  return Math.max(...rates)
}
