import { LIMITS } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { consuming } from './consumer.testkit.ts'

describe('the consumers of a process', () => {
  it('report one line for a gate and topic, the longest lag and the sums', async () => {
    const { consumers, consumer, gate, deliver } = consuming({ limit: 1 })
    const second = consumers.open(gate, 'mails', () => null)
    consumers.open(gate, 'logs', () => null).connected(false)
    deliver('a', 5_000)
    deliver('b')
    second.measured(9_000)
    expect(consumers.reports()).toEqual([
      { gate: 'gate', topic: 'mails', lagMs: 9_000, inHand: 1, running: 1, paused: false },
      { gate: 'gate', topic: 'logs', lagMs: null, inHand: 0, running: 0, paused: false },
    ])
    const gauges: Record<string, number> = {}
    consumers.collect({
      counter: () => undefined,
      gauge: (name, value, { topic }) => Object.assign(gauges, { [`${topic} ${name}`]: value }),
      histogram: () => undefined,
    })
    expect(gauges).toMatchObject({ 'mails weir.consumer.lag': 9, 'mails weir.consumer.in_hand': 1 })
    expect(gauges).not.toHaveProperty('logs weir.consumer.lag')
    consumer.stop()
    expect(consumers.reports()).toHaveLength(2)
  })

  it('look once a second while there is one, with one timer', async () => {
    const { consumers, gate, runtime } = consuming()
    consumers.open(gate, 'logs', () => null)
    expect(runtime.time.pending).toBe(1)
    consumers.stop()
    expect(runtime.time.pending).toBe(0)
    consumers.open(gate, 'again', () => null)
    expect(runtime.time.pending).toBe(1)
    consumers.stop()
  })

  it('that are opened after the end are stopped already, and plan nothing', () => {
    const { consumers, gate, runtime } = consuming()
    consumers.end()
    expect(consumers.open(gate, 'late', () => null).report().running).toBe(0)
    expect([consumers.reports(), runtime.time.pending]).toEqual([[], 0])
  })

  it('name a topic so that it can be told, and say so', () => {
    const { consumers, gate, runtime } = consuming()
    const names = ['a\u0000b', '', 'ü'.repeat(200), 'good'].map((name) => consumers.open(gate, name, () => null).topic)
    expect(names).toEqual(['ab', 'unnamed', 'ü'.repeat(124), 'good'])
    expect(runtime.errors).toHaveLength(3)
  })

  it('are bounded: one past 500 works and is not reported', async () => {
    const { consumers, gate, runtime } = consuming()
    for (let i = 1; i < LIMITS.items; i++) consumers.open(gate, `t${i}`, () => null)
    const extra = consumers.open(gate, 'extra', () => null)
    expect(await extra.take({}, () => 'worked')).toEqual({ fate: 'done', value: 'worked' })
    expect(consumers.reports()).toHaveLength(LIMITS.items)
    expect(runtime.errors).toHaveLength(1)
    extra.stop()
    consumers.stop()
    gate.close()
    expect(runtime.time.pending).toBe(0)
  })
})
