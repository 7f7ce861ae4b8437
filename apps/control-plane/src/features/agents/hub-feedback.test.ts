import { BUILT_IN_POLICY, DEFAULT_FEEDBACK, type EffectivePolicy, UNLIMITED } from '@weir/policy/model'
import type { Report, Scales } from '@weir/wire'
import { describe, expect, it } from 'vitest'
import { HubBench, hello, ORDERS, type TestAgent } from './hub-bench.testkit.ts'

const STEP_MS = DEFAULT_FEEDBACK.stepSeconds * 1_000
const effective = (rules: boolean): EffectivePolicy => ({
  policy: {
    ...BUILT_IN_POLICY,
    feedback: rules ? { mails: { ...DEFAULT_FEEDBACK, resource: 'checkout' } } : {},
  },
  quotas: { checkout: { acme: { ...UNLIMITED, rate: 5 } } },
})

/** Agents that report each second: one consumes the topic, one feeds it. */
const scene = async () => {
  const bench = new HubBench()
  await bench.publish(1, effective(true))
  let sequence = 0
  const report = (agent: TestAgent, lagMs: number | null | undefined, scales: Scales = {}) => {
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
  }
  const join = async () => ({
    consumer: await bench.connect(hello('consumer')),
    producer: await bench.connect(hello('producer')),
  })
  let agents = await join()
  const scalesOf = (agent: TestAgent) => agent.of('lease').map(({ scales }) => scales)
  /** What an agent applies: the last that it was told, by whichever control plane. */
  const applied: { consumer: Scales; producer: Scales } = { consumer: {}, producer: {} }
  const told = () => scalesOf(agents.producer).at(-1) as Scales | undefined
  const listen = (name: 'consumer' | 'producer') => {
    applied[name] =
      (scalesOf(agents[name]).findLast((scales) => scales !== undefined) as Scales | undefined) ?? applied[name]
    return applied[name]
  }
  const live = (ms: number, lagMs: number | null | undefined) =>
    bench.pass(ms, () => {
      report(agents.consumer, lagMs, listen('consumer'))
      report(agents.producer, undefined, listen('producer'))
      for (const agent of Object.values(agents)) agent.say({ type: 'pong', n: 0 })
    })
  const state = () => {
    const room = bench.hub.roomAt(ORDERS)
    return room === null ? [] : bench.hub.feedback.statesOf(room.fleet)
  }
  const restart = async () => {
    await bench.hub.flush()
    bench.start()
    agents = await join()
  }
  return { bench, live, told, state, restart, agents: () => agents, scalesOf }
}

describe('feedback of lag', () => {
  it('M3 makes the quotas of whom feeds the topic smaller, and gives them back', async () => {
    const { live, told, state, agents, scalesOf } = await scene()
    await live(1.5 * STEP_MS, 600_000)
    expect([told(), state()[0]?.phase]).toEqual([undefined, 'whole'])
    await live(STEP_MS, 600_000)
    expect(told()).toEqual({ checkout: 0.7 })
    expect(state()).toEqual([
      expect.objectContaining({ topic: 'mails', scale: 0.7, phase: 'cutting', lagSeconds: 600, consumers: 1 }),
    ])
    await live(2 * STEP_MS, 1_000)
    expect(told()).toEqual({ checkout: 0.8 })
    await live(3 * STEP_MS, 1_000)
    expect([told(), state()[0]?.phase]).toEqual([{}, 'whole'])
    expect(scalesOf(agents().consumer).filter(Boolean)).toEqual([
      { checkout: 0.7 },
      { checkout: 0.8 },
      { checkout: 0.9 },
      {},
    ])
  })

  it('tells nobody anything while nothing changes', async () => {
    const { live, agents } = await scene()
    await live(5 * STEP_MS, 0)
    expect(agents().producer.of('lease')).toHaveLength(1)
  })

  it('goes on after a restart from what the agents apply', async () => {
    const { live, told, restart, state } = await scene()
    await live(4.5 * STEP_MS, 600_000)
    expect(told()).toEqual({ checkout: 0.343 })
    await restart()
    expect(told()).toBeUndefined()
    await live(0.5 * STEP_MS, 600_000)
    expect([told(), state()[0]]).toEqual([undefined, expect.objectContaining({ phase: 'unknown', scale: 0.343 })])
    await live(2 * STEP_MS, 600_000)
    expect(told()).toEqual({ checkout: 0.2401 })
  })

  it('ends at once where the rule is taken out of the policy', async () => {
    const { bench, live, told } = await scene()
    await live(2.5 * STEP_MS, 600_000)
    expect(told()).toEqual({ checkout: 0.7 })
    await bench.publish(2, effective(false))
    await live(1_000, 600_000)
    expect(told()).toEqual({})
  })

  it('waits while nobody knows, and does not count agents that are gone', async () => {
    const { live, told, state, agents } = await scene()
    await live(2.5 * STEP_MS, 600_000)
    agents().consumer.hangUp()
    await live(2 * STEP_MS, undefined)
    expect([told(), state()[0]]).toEqual([
      { checkout: 0.7 },
      expect.objectContaining({ phase: 'unknown', scale: 0.7, lagSeconds: null, consumers: 0 }),
    ])
  })
})
