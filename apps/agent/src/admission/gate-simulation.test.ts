import { seededRandom } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, settings } from './gate.testkit.ts'
import type { Entry, Work } from './gate.ts'

const CLASSES = ['critical-plus', 'critical', 'sheddable-plus', 'sheddable'] as const

interface Load {
  /** Pieces of work per millisecond, Poisson. */
  readonly perMs: (atMs: number) => number
  readonly work: (random: () => number) => Work
  /** Time in the slot. */
  readonly serviceMs: (atMs: number) => number
  readonly deadlineMs: number
}

/** Work that started: when it arrived and started, and what was left of its deadline then. */
interface Start {
  readonly arrivedMs: number
  readonly startedMs: number
  readonly remainingMs: number
}

/** Plays a load on virtual time, arrivals by the millisecond. */
const play = async (made: ReturnType<typeof bench>, load: Load, ms: number) => {
  const { gate, runtime } = made
  const random = seededRandom(11)
  const starts: Start[] = []
  const endMs = runtime.time.now() + ms
  let peak = 0
  const started = (entry: Entry, arrivedMs: number) => {
    if (!entry.accepted) return
    const nowMs = runtime.time.now()
    starts.push({ arrivedMs, startedMs: nowMs, remainingMs: entry.remainingMs })
    runtime.timers.set(() => entry.success(), load.serviceMs(nowMs) * (0.5 + random()))
  }
  const arrive = () => {
    const nowMs = runtime.time.now()
    if (nowMs >= endMs) return
    let left = load.perMs(nowMs)
    while (true) {
      left += Math.log(1 - random())
      if (left <= 0) break
      const entry = gate.acquire({ deadlineMs: load.deadlineMs, ...load.work(random) })
      if ('accepted' in entry) started(entry, nowMs)
      else void entry.then((late) => started(late, nowMs))
    }
    peak = Math.max(peak, gate.report().waiting)
    runtime.timers.set(arrive, 1)
  }
  arrive()
  await runtime.time.run(ms)
  return { starts, peak }
}

describe('offered 10 x capacity, four classes, 1,000 tenants of which one floods', () => {
  it('goodput holds, the flood is held to its share, every class has its reserve, nothing starts or ends late', async () => {
    const share = 0.2
    const policy = gatePolicy({
      limit: 40,
      queue: { maxWaitMs: 120, maxItems: 2_000 },
      classes: {
        reserves: { 'critical-plus': share, critical: share, 'sheddable-plus': share, sheddable: share },
        highest: 'critical-plus',
      },
    })
    const made = bench(settings(policy), { tenantLabels: 2_000 })
    const load: Load = {
      perMs: () => 20,
      serviceMs: () => 20,
      deadlineMs: 250,
      work: (random) => ({
        tenant: random() < 0.5 ? 'flood' : `tenant ${Math.floor(random() * 999)}`,
        criticality: CLASSES[Math.floor(random() * 4)] ?? 'critical',
      }),
    }
    const ms = 5_000
    const { starts, peak } = await play(made, load, ms)
    await made.runtime.time.run(500)
    const seen = made.figures()
    const capacity = (ms * 40) / 20
    const completed = seen.sum('completed')
    expect(seen.sum('offered') / capacity).toBeGreaterThan(9)
    expect(completed / capacity).toBeGreaterThan(0.95)
    for (const klass of CLASSES)
      expect(seen.sum('completed', { class: klass }) / capacity).toBeGreaterThan(share * 0.95)
    // Beside some 200 tenants that wait at a time, the flood has a hundredth of what it asks for, as the others have a fifth.
    expect(seen.sum('completed', { tenant: 'flood' }) / completed).toBeLessThan(0.02)
    const served = Array.from({ length: 999 }, (_, i) => seen.sum('completed', { tenant: `tenant ${i}` }))
    expect(Math.min(...served)).toBeGreaterThan(0)
    expect(Math.min(...starts.map(({ remainingMs }) => remainingMs))).toBeGreaterThan(0)
    expect(seen.sum('late') / completed).toBeLessThan(0.001)
    expect(peak).toBeLessThanOrEqual(2_000)
    expect(made.gate.mishaps.faults).toBe(0)
  }, 60_000)
})

describe('a dependency that slows from 2,000/s to 400/s', () => {
  it('the wait stays inside the deadline throughout, and all is as before within 2 s of its recovery', async () => {
    const policy = gatePolicy({ limit: 40, queue: { maxWaitMs: 300, maxItems: 10_000 } })
    const made = bench(settings(policy))
    const [slowAt, wellAt, ms] = [3_000, 8_000, 12_000]
    const load: Load = {
      perMs: () => 1.6,
      serviceMs: (atMs) => (atMs >= slowAt && atMs < wellAt ? 100 : 20),
      deadlineMs: 500,
      work: () => ({}),
    }
    const { starts } = await play(made, load, wellAt)
    const slow = made.figures()
    expect(slow.sum('shed')).toBeGreaterThan(4_000)
    expect(slow.sum('late') / slow.sum('completed')).toBeLessThan(0.02)
    const recovering = await play(made, load, 2_000)
    const shed = made.figures().sum('shed')
    const after = await play(made, load, ms - wellAt - 2_000)
    for (const { arrivedMs, startedMs, remainingMs } of [...starts, ...recovering.starts, ...after.starts]) {
      expect(startedMs - arrivedMs).toBeLessThanOrEqual(300)
      expect(remainingMs).toBeGreaterThan(0)
    }
    const slowStarts = starts.filter(({ arrivedMs }) => arrivedMs > slowAt + 1_000)
    expect(slowStarts.length / ((wellAt - slowAt - 1_000) * 0.4)).toBeGreaterThan(0.95)
    expect(made.figures().sum('shed')).toBe(shed)
    const waits = after.starts.map(({ arrivedMs, startedMs }) => startedMs - arrivedMs).sort((a, b) => a - b)
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(20)
  }, 60_000)
})
