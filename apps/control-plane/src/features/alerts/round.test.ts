import { expect, it } from 'vitest'
import type { WatchedService } from './alert-book.ts'
import type { Buckets } from './figures-feed.ts'
import type { GateBucket } from './history.ts'
import { begin, judge } from './round.ts'
import { gate, RULES } from './scenes.testkit.ts'

const START = 1_796_022_000
const ORDERS: WatchedService = { serviceId: 's1', environment: 'prod', service: 'orders', hash: null, rules: RULES }

const hearing = (gates: Map<string, Buckets<GateBucket>>) => ({
  figures: { gates, dependencies: new Map() },
  tenants: new Map(),
  agents: undefined,
  published: { gates: new Map(), rates: new Map() },
})

it('a gate that went away is forgotten once nothing of it can matter any more', () => {
  const heard = hearing(new Map([['checkout', new Map([[START, gate()]])]]))
  const { watch: first } = judge(ORDERS, begin('s1', [], START, START), heard, START + 5)
  const { watch: still } = judge(ORDERS, first, hearing(new Map()), START + 900)
  expect([...still.subjects.keys()]).toContain('gate\ncheckout')
  const { watch: gone } = judge(ORDERS, still, hearing(new Map()), START + 905)
  expect([...gone.subjects.keys()]).not.toContain('gate\ncheckout')
})
