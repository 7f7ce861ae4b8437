import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { QUIET, ToldReaders, watching } from './signals.testkit.ts'
import { Signals } from './signals.ts'

describe('capacity signals', () => {
  it('sample once for all gates, each by its own thresholds', () => {
    const { signals, readers, runtime, gate, levels } = watching()
    const patient = { level: 0, delayMs: 0, report: () => ({ oldestAgeMs: 0 }) }
    signals.watch(patient, () => ({ eventLoopDelayMs: { open: 500, close: 200 } }))
    expect(runtime.time.pending).toBe(1)
    readers.intervals.length = 0
    levels('eventLoopDelayMs', 150, 150)
    expect([gate.level, patient.level]).toEqual([1, 0])
    expect([gate.delayMs, patient.delayMs]).toEqual([150, 150])
    expect(readers.intervals).toEqual([250, 250])
  })

  it('B-78d a start that blocks for seconds opens nothing', () => {
    const runtime = virtualRuntime()
    const readers = new ToldReaders()
    const gate = { level: 0, delayMs: 0, report: () => ({ oldestAgeMs: 0 }) }
    new Signals(runtime, readers).watch(gate, () => ({ eventLoopDelayMs: { open: 100, close: 50 } }))
    readers.now = { ...QUIET, eventLoopDelayMs: 3_000 }
    runtime.time.advance(4_750)
    expect([gate.level, gate.delayMs]).toEqual([0, 0])
    runtime.time.advance(500)
    expect(gate.level).toBe(1)
  })

  it('B-78d O-19 one stall is one bad sample, and what follows it is fresh', () => {
    const { levels, gate } = watching()
    expect(levels('eventLoopDelayMs', 3_000, 1, 1, 1)).toEqual([0, 0, 0, 0])
    expect(levels('eventLoopDelayMs', 3_000, 3_000, 1, 1)).toEqual([0, 1, 1, 0])
    expect(gate.delayMs).toBe(1)
  })

  it('O-18 a block shows as the longest delay of its interval, not as a mean', () => {
    const { levels } = watching({ eventLoopDelayMs: { open: 250, close: 50 } })
    expect(levels('eventLoopDelayMs', 300, 300)).toEqual([0, 1])
  })

  it('B-78c B-61 what is not known is no 0 and no overload', () => {
    const { levels, gate } = watching({ cpuShare: { open: 0.9, close: 0.5 }, eventLoopDelayMs: { open: 1, close: 0 } })
    expect(levels('cpuShare', Number.NaN, Number.NaN, Number.NaN)).toEqual([0, 0, 0])
    expect(levels('eventLoopDelayMs', Number.NaN, Number.NaN)).toEqual([0, 0])
    expect(gate.delayMs).toBe(0)
  })

  it('average shares, so that one collection says little', () => {
    const { levels } = watching({ gcShare: { open: 0.4, close: 0.1 } })
    expect(levels('gcShare', 0, 0.6, 0.6, 0, 0, 0)).toEqual([0, 0, 0, 0, 0, 0])
    expect(levels('gcShare', 0.6, 0.6, 0.6)).toEqual([0, 0, 1])
  })

  it("know the age of the gate's own queue", () => {
    const { gate, levels } = watching({ queueAgeMs: { open: 200, close: 100 } })
    gate.oldestAgeMs = 300
    expect(levels('heapShare', 0, 0)).toEqual([0, 1])
    gate.oldestAgeMs = 0
    expect(levels('heapShare', 0, 0)).toEqual([1, 0])
  })

  it('read the wait for connections that the host hands in: the worst of all pools', () => {
    const { signals, levels, runtime } = watching({ connectionWaitMs: { open: 100, close: 10 } })
    const waits: Record<string, unknown> = { orders: 0, stock: 500 }
    signals.connections('orders', () => waits.orders)
    const end = signals.connections('stock', () => waits.stock)
    signals.connections('broken', () => {
      throw new Error('no pool')
    })
    signals.connections('strange', () => 'much')
    expect(levels('heapShare', 0, 0)).toEqual([0, 1])
    end()
    expect(levels('heapShare', 0, 0)).toEqual([1, 0])
    expect(runtime.errors.map(({ where }) => where)).toEqual(['signals'])
  })

  it('read the latency of the slowest dependency; one without calls is unknown', () => {
    const { signals, levels } = watching({ dependencyLatencyMs: { open: 1_000, close: 500 } })
    const means = { payments: Number.NaN, stock: 20 }
    signals.dependency('payments', () => means.payments)
    signals.dependency('stock', () => means.stock)
    expect(levels('heapShare', 0, 0, 0)).toEqual([0, 0, 0])
    means.payments = 5_000
    expect(levels('heapShare', 0, 0, 0).at(-1)).toBe(1)
  })

  it('survive readers that fail: all is unknown until they answer again', () => {
    const { readers, runtime, gate, levels } = watching()
    const read = readers.read
    readers.read = () => {
      throw new Error('no histogram')
    }
    expect(levels('eventLoopDelayMs', 200, 200)).toEqual([0, 0])
    readers.read = read
    expect(levels('eventLoopDelayMs', 200, 200)).toEqual([0, 1])
    expect(runtime.errors).toHaveLength(2)
    expect(gate.delayMs).toBe(200)
  })

  it('B-10 leave no timer and stop their readers when they are closed', () => {
    const { signals, readers, runtime } = watching()
    signals.close()
    expect([runtime.time.pending, readers.running]).toEqual([0, false])
    signals.close()
    expect(new ToldReaders().running).toBe(false)
  })

  it('do not sample before there is a gate', () => {
    const runtime = virtualRuntime()
    const readers = new ToldReaders()
    new Signals(runtime, readers)
    expect([runtime.time.pending, readers.running]).toEqual([0, false])
  })

  it('bound the gauges', () => {
    const { signals, runtime } = watching()
    for (let i = 0; i <= 600; i++) signals.connections(`pool-${i}`, () => 0)
    expect(runtime.errors).toHaveLength(1)
  })
})
