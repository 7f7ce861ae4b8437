import { BUILT_IN_POLICY, DEFAULT_FEEDBACK, type EffectivePolicy, UNLIMITED } from '@weir/policy/model'
import type { Report, Scales } from '@weir/wire'
import { expect, it } from 'vitest'
import { HubBench, hello, ORDERS, type TestAgent } from '../agents/hub-bench.testkit.ts'

const STEP_MS = DEFAULT_FEEDBACK.stepSeconds * 1_000
const EFFECTIVE: EffectivePolicy = {
  policy: { ...BUILT_IN_POLICY, feedback: { mails: { ...DEFAULT_FEEDBACK, resource: 'checkout' } } },
  quotas: { checkout: { acme: { ...UNLIMITED, rate: 5 } } },
}

/** The consumer of a topic is with one replica, its producers with both. */
const scene = async () => {
  const one = new HubBench({}, { name: 'one' })
  const two = new HubBench({}, { name: 'two', beside: one })
  await one.publish(1, EFFECTIVE)
  await two.publish(1, EFFECTIVE)
  const [near, far] = [await one.connect(hello('near')), await two.connect(hello('far'))]
  const consumer = await two.connect(hello('consumer'))
  let sequence = 0
  const report = (agent: TestAgent, lagMs?: number) => {
    const scales = (agent.of('lease').findLast((lease) => lease.scales !== undefined)?.scales ?? {}) as Scales
    const consumers =
      lagMs === undefined ? [] : [{ gate: 'mails', topic: 'mails', lagMs, inHand: 0, running: 0, paused: false }]
    const said: Report = {
      type: 'report',
      sequence: sequence++,
      source: 'stream',
      gates: [],
      dependencies: [],
      consumers,
      scales,
      uncounted: false,
    }
    agent.say(said)
    agent.say({ type: 'pong', n: 0 })
  }
  const live = async (ms: number, lagMs: number, alive = [one, two]) => {
    for (let passed = 0; passed < ms; passed += 200) {
      one.clock.ms += 200
      if (one.clock.ms % 1_000 === 0) {
        report(near)
        report(far)
        report(consumer, lagMs)
      }
      for (const bench of alive) await bench.beat()
    }
  }
  const told = (agent: TestAgent) => (agent.of('lease').at(-1)?.scales as Scales | undefined)?.checkout ?? 1
  const state = (bench: HubBench) => {
    const room = bench.hub.roomAt(ORDERS)
    return room === null ? null : bench.hub.feedback.statesOf(room.fleet)[0]
  }
  return { one, two, near, far, live, told, state }
}

it('producers of every replica are cut by what a consumer of one says, all by the same share', async () => {
  const { one, two, near, far, live, told, state } = await scene()
  await live(6 * STEP_MS, 600_000)
  expect(told(near)).toBeLessThan(1)
  expect(told(far)).toBe(told(near))
  expect(state(one)).toMatchObject({ lagSeconds: 600, consumers: 1, scale: told(near) })
  const { scale, lagSeconds, consumers, phase } = state(one) ?? {}
  expect(state(two)).toMatchObject({ scale, lagSeconds, consumers, phase })
})

it('another replica goes on from where the agents are when the one that looked is gone', async () => {
  const { two, near, far, live, told, state } = await scene()
  await live(6 * STEP_MS, 600_000)
  const cut = told(near)
  await live(STEP_MS, 600_000, [two])
  expect(told(far)).toBeLessThanOrEqual(cut)
  await live(40 * STEP_MS, 0, [two])
  expect(told(far)).toBe(1)
  expect(state(two)).toMatchObject({ phase: 'whole', consumers: 1 })
})
