import { hold } from '@weir/testkit'
import { measureCapacity, policiesOf, sizeOf } from '../fleet/shop.ts'
import type { Kind } from '../load/plan.ts'
import type { Spans } from '../run.ts'
import type { Scenario, Stage } from './scenario.ts'
import { dayInShop, shopTerms } from './shop.ts'

const spansOf = ({ quick }: Stage): Spans =>
  quick
    ? { calm: [1_000, 2_500], hold: [2_500, 6_500], after: [6_500, 9_500] }
    : { calm: [2_000, 5_000], hold: [5_000, 13_000], after: [13_000, 20_000] }

const order = (name: string, share: number, headers: Readonly<Record<string, string>>): Kind => ({
  name,
  share,
  method: 'POST',
  path: '/orders',
  headers,
})

/** In times the capacity: what one sends in a storm, before and after it and meanwhile. */
const burst = (capacity: number, { hold: [from, to], after }: Spans, usual: number, storm: number) => [
  hold(usual * capacity, from),
  hold(storm * capacity, to - from),
  hold(usual * capacity, after[1] - to),
]

const QUIET = ['north', 'south', 'east', 'west'].map((tenant) => order(tenant, 0.15, { 'weir-tenant': tenant }))
const NOISY = order('noisy', 1, { 'weir-tenant': 'noisy' })

export const noisyTenant: Scenario = {
  name: 'noisy-tenant',
  title: 'A noisy tenant',
  about:
    'Four tenants ask for fifteen per cent of the capacity each; a fifth goes from a fifth of it to 9.4 times all of it. None has a quota: the queue is fair by weight.',
  quick: false,
  prepare: async (stage) => ({
    ...shopTerms(await measureCapacity(stage), stage),
    judged: [...QUIET, NOISY].map(({ name }) => name),
    owed: Object.fromEntries(QUIET.map(({ name, share }) => [name, share])),
  }),
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(stage)
    return dayInShop(side, stage, {
      spans,
      streams: [
        { shape: [hold(0.6 * capacity, spans.after[1])], kinds: QUIET },
        { shape: burst(capacity, spans, 0.2, 9.4), kinds: [NOISY] },
      ],
    })
  },
}

const HONEST = [
  order('honest critical', 0.1, { 'x-caller': 'honest', 'weir-tenant': 'honest', 'weir-criticality': 'critical' }),
  order('honest other', 0.4, { 'x-caller': 'honest', 'weir-tenant': 'honest', 'weir-criticality': 'sheddable-plus' }),
]
const INFLATED = order('inflated critical', 1, {
  'x-caller': 'inflated',
  'weir-tenant': 'inflated',
  'weir-criticality': 'critical',
})
const TOP_SHARE = 0.1

export const allCritical: Scenario = {
  name: 'all-critical',
  title: 'Everything is critical, says one caller',
  about: `One team marks a fifth of its orders critical, half of the capacity in all. Another marks everything critical and sends four times the capacity. The policy lets a tenth of a caller's work run in its top class.`,
  quick: false,
  prepare: async (stage) => ({
    ...shopTerms(await measureCapacity(stage), stage),
    judged: [...HONEST, INFLATED].map(({ name }) => name),
    owed: { 'honest critical': 0.1, 'honest other': 0.1 },
  }),
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(stage)
    const policies = policiesOf(sizeOf(stage), { topShareCap: TOP_SHARE })
    return dayInShop(side, stage, {
      spans,
      streams: [
        { shape: [hold(0.5 * capacity, spans.after[1])], kinds: HONEST },
        { shape: burst(capacity, spans, 0.2, 4), kinds: [INFLATED] },
      ],
      opening: { policies },
    })
  },
}
