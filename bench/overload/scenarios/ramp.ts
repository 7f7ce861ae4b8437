import { ramp as climb, hold, type Shape } from '@weir/testkit'
import { adaptive, measureCapacity, ORDERS, policiesOf, sizeOf } from '../fleet/shop.ts'
import { MAX_LAG_MS, type Run, type Spans } from '../run.ts'
import type { Scenario, Stage, Terms } from './scenario.ts'
import { dayInShop, shopTerms, USUAL } from './shop.ts'

const PEAK = 10

/** Calm, a ramp to the peak, the peak held, and all at once `after` times the capacity. */
export const rampOf = (capacity: number, { quick }: Stage, after = USUAL): { shape: Shape; spans: Spans } => {
  const [warm, calm, rise, held, rest] = quick
    ? ([1_000, 1_500, 1_500, 4_000, 3_000] as const)
    : ([2_000, 3_000, 3_000, 8_000, 8_000] as const)
  const [usual, peak] = [USUAL * capacity, PEAK * capacity]
  const top = warm + calm + rise
  return {
    shape: [hold(usual, warm + calm), climb(usual, peak, rise), hold(peak, held), hold(after * capacity, rest)],
    spans: { calm: [warm, warm + calm], hold: [top, top + held], after: [top + held, top + held + rest] },
  }
}

/** The ramp on the fleet without Weir, for all that differ only in what Weir is told: played once, and again only where the generator was late. */
export const rampWithout = async ({ capacity }: Terms, stage: Stage): Promise<Run> => {
  const name = `ramp at ${capacity}`
  const { shape, spans } = rampOf(capacity, stage)
  const kept = stage.shared.get(name)
  const run = kept ?? (await dayInShop('without', stage, { spans, streams: [{ shape, kinds: ORDERS }] }))
  if (run.records.lagMs <= MAX_LAG_MS) stage.shared.set(name, run)
  return run
}

export const ramp: Scenario = {
  name: 'ramp',
  title: 'Ramp to ten times capacity, hold, fall',
  about:
    'Orders rise to ten times what the payment connections can do, stay there, and fall back to four fifths of the capacity at once.',
  quick: true,
  prepare: async (stage) => shopTerms(await measureCapacity(stage), stage),
  play: async (side, terms, stage) => {
    if (side === 'without') return rampWithout(terms, stage)
    const { shape, spans } = rampOf(terms.capacity, stage)
    return dayInShop(side, stage, { spans, streams: [{ shape, kinds: ORDERS }] })
  },
}

export const learned: Scenario = {
  name: 'learned',
  title: 'The same with a limit that is learned',
  about:
    'As the ramp, but the front learns its limit (gradient2, 2 to 40) instead of being told; after the peak exactly the capacity is offered, so a limit that collapsed would show.',
  quick: false,
  prepare: async (stage) => ({
    ...shopTerms(await measureCapacity(stage), stage),
    notAsked: {
      'steady-limit': 'the load is not constant for long enough: see near the limit',
      recovery: 'more is offered after the peak than before it: what is done then says it',
    },
  }),
  play: async (side, { capacity }, stage) => {
    const { shape, spans } = rampOf(capacity, stage, 1)
    const opening = { policies: adaptive(policiesOf(sizeOf(stage))) }
    return dayInShop(side, stage, { spans, streams: [{ shape, kinds: ORDERS }], opening })
  },
}
