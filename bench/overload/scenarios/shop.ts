import { hold, lengthMs, type Shape } from '@weir/testkit'
import {
  BROWSE,
  type Opening,
  ORDERS,
  openShop,
  PATIENCE_MS,
  RESERVES,
  type Shop,
  sizeOf,
  slotsOf,
} from '../fleet/shop.ts'
import type { Stream } from '../load/plan.ts'
import { booked } from '../measure.ts'
import { type Deed, play, type Run, type Side, type Spans } from '../run.ts'
import type { Stage, Terms } from './scenario.ts'

/** Of the capacity, before and after. */
export const USUAL = 0.8

/** Others who browse meanwhile, evenly, twenty a second. */
const browsing = (shape: Shape, targets: readonly string[]): Stream => ({
  shape: [hold(20, lengthMs(shape))],
  kinds: [BROWSE],
  targets,
})

interface Day {
  readonly spans: Spans
  readonly streams: readonly Omit<Stream, 'targets'>[]
  readonly opening?: Opening
  /** Before the load begins, with Weir: so many processes run. */
  readonly ready?: (processes: number) => Promise<void>
  readonly deeds?: (shop: Shop) => readonly Deed[]
}

/** Opens the shop, plays the load with others browsing beside it, and closes it. */
export const dayInShop = async (
  side: Side,
  stage: Stage,
  { spans, streams, opening, ready, deeds }: Day,
): Promise<Run> => {
  const shop = await openShop(side, stage, opening)
  try {
    if (side === 'with') await ready?.(shop.members.length)
    const targets = [shop.front.url]
    const whole = streams.map((stream) => ({ ...stream, targets }))
    return await play({
      ...stage,
      side,
      patienceMs: PATIENCE_MS,
      spans,
      members: shop.members,
      streams: [...whole, browsing(whole[0]?.shape ?? [], targets)],
      deeds: deeds?.(shop) ?? [],
    })
  } finally {
    await shop.stop()
  }
}

export const attemptsOf =
  (service: string, dependency: string) =>
  (run: Run): number =>
    booked(run, service, `${dependency} attempts`) / booked(run, service, `${dependency} calls`)

/** A reserve is whole slots, and at least one: of eight, a fifth is one. */
const owedBy = (reserves: Readonly<Record<string, number>>, slots: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(reserves).map(([klass, share]) => [
      `order ${klass}`,
      Math.max(1, Math.floor(share * slots)) / slots,
    ]),
  )

export const shopTerms = (capacity: number, stage: Stage): Terms => ({
  capacity,
  judged: ORDERS.map(({ name }) => name),
  bystanders: [BROWSE.name],
  owed: owedBy(RESERVES, slotsOf(sizeOf(stage))),
  scarce: ['payments-1'],
  gate: { service: 'front', name: 'checkout' },
  attempts: attemptsOf('front', 'payments'),
  queueBound: Math.ceil(capacity * (PATIENCE_MS / 1_000)),
  notAsked: { 'steady-limit': `the limit is fixed at ${slotsOf(sizeOf(stage))}` },
})
