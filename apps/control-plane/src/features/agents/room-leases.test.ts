import { expect, it, vi } from 'vitest'
import { HubBench, hello } from './hub-bench.testkit.ts'

it('gives leases back from the connection that asked for them', async () => {
  const bench = new HubBench()
  const [ask, release] = [vi.spyOn(bench.books, 'ask'), vi.spyOn(bench.books, 'release')]
  bench.clock.ms = 400
  const agent = await bench.connect(hello('a'))
  bench.clock.ms = 1_000
  agent.say({ type: 'ask', n: 1, whole: true, asked: [] })
  await expect.poll(() => ask.mock.calls.length).toBe(1)
  bench.clock.ms = 2_000
  agent.say({ type: 'bye', reason: 'done' })
  const seat = { instance: 'a', openedMs: 400 }
  expect([ask.mock.lastCall?.[0], release.mock.lastCall?.[0]]).toMatchObject([seat, seat])
})
