import { hold } from '@weir/testkit'
import { adaptive, measureCapacity, ORDERS, policiesOf, sizeOf } from '../fleet/shop.ts'
import type { Side, Spans } from '../run.ts'
import type { Scenario, Stage } from './scenario.ts'
import { dayInShop, shopTerms, USUAL } from './shop.ts'

/** Half a minute to settle and a minute to be looked at; without a limit there is nothing to look at for so long. */
const spansOf = (side: Side, { quick }: Stage): Spans => {
  const [from, to] = quick ? [5_000, 12_000] : side === 'with' ? [30_000, 90_000] : [10_000, 30_000]
  return { calm: [1_000, 3_000], hold: [from, to], after: [to, to + 5_000] }
}

export const nearLimit: Scenario = {
  name: 'near-limit',
  title: 'Near the limit, for long',
  about:
    'Exactly the capacity is offered, evenly for a minute and a half, to a front that learns its limit (gradient2, 2 to 40). The limit is looked at once a second, for a minute after half a minute.',
  quick: false,
  prepare: async (stage) => {
    const terms = shopTerms(await measureCapacity(stage), stage)
    return { ...terms, notAsked: { reserves: 'as much is offered as can be done: no class is held back for long' } }
  },
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(side, stage)
    return dayInShop(side, stage, {
      spans,
      streams: [
        {
          shape: [
            hold(USUAL * capacity, spans.calm[1]),
            hold(capacity, spans.hold[1] - spans.calm[1]),
            hold(USUAL * capacity, spans.after[1] - spans.hold[1]),
          ],
          kinds: ORDERS,
        },
      ],
      opening: { policies: adaptive(policiesOf(sizeOf(stage))) },
    })
  },
}
