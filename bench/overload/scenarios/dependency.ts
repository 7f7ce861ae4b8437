import { hold } from '@weir/testkit'
import { measureCapacity, ORDERS, sizeOf } from '../fleet/shop.ts'
import type { Spans } from '../run.ts'
import type { Scenario, Stage } from './scenario.ts'
import { dayInShop, shopTerms } from './shop.ts'

const spansOf = ({ quick }: Stage): Spans =>
  quick
    ? { calm: [1_000, 2_500], hold: [2_500, 7_500], after: [7_500, 11_000] }
    : { calm: [2_000, 5_000], hold: [5_000, 14_000], after: [14_000, 22_000] }

export const slowDependency: Scenario = {
  name: 'slow-dependency',
  title: 'A dependency falls to a fifth',
  about:
    'Orders stay at nine tenths of the capacity; each payment takes five times as long for a while, then as long as before. Shares are of what the fleet can do then.',
  quick: false,
  prepare: async (stage) => ({ ...shopTerms(await measureCapacity(stage), stage), left: 0.2 }),
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(stage)
    const { workMs } = sizeOf(stage)
    return dayInShop(side, stage, {
      spans,
      streams: [{ shape: [hold(0.9 * capacity, spans.after[1])], kinds: ORDERS }],
      deeds: ({ payments }) => {
        const change = (ms: number) => () => payments[0]?.change({ workMs: ms })
        return [
          { atMs: spans.hold[0], what: `a payment takes ${5 * workMs} ms`, act: change(5 * workMs) },
          { atMs: spans.after[0], what: `a payment takes ${workMs} ms again`, act: change(workMs) },
        ]
      },
    })
  },
}

const REPLICAS = 4
const OFFERED = 0.6

export const slowReplica: Scenario = {
  name: 'slow-replica',
  title: 'One of four replicas falls ill',
  about:
    'Four payment replicas serve six tenths of what they can do; one becomes fifty times slower for a while. The other three could carry all of it.',
  quick: false,
  prepare: async (stage) => {
    const size = { connections: 2, workMs: sizeOf(stage).workMs, replicas: REPLICAS }
    const terms = shopTerms(await measureCapacity(stage, size), stage)
    const { owed: _, ...rest } = terms
    return {
      ...rest,
      left: OFFERED,
      scarce: Array.from({ length: REPLICAS }, (_, i) => `payments-${i + 1}`),
      notAsked: { ...terms.notAsked, reserves: 'there is room for all classes' },
    }
  },
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(stage)
    const size = { connections: 2, workMs: sizeOf(stage).workMs, replicas: REPLICAS }
    return dayInShop(side, stage, {
      spans,
      streams: [{ shape: [hold(OFFERED * capacity, spans.after[1])], kinds: ORDERS }],
      opening: { size },
      deeds: ({ payments }) => {
        const change = (workMs: number) => () => payments[0]?.change({ workMs })
        return [
          { atMs: spans.hold[0], what: 'one replica is fifty times slower', act: change(50 * size.workMs) },
          { atMs: spans.after[0], what: 'it is well again', act: change(size.workMs) },
        ]
      },
    })
  },
}
