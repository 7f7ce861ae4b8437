import { seededRandom, settled } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bench, bench, gatePolicy, quota, settings } from './gate.testkit.ts'
import type { Entry, Permit } from './gate.ts'

const ENDINGS = ['success', 'failure', 'dropped', 'ignored'] as const
const CLASSES = ['critical-plus', 'critical', 'sheddable-plus', 'sheddable'] as const

/** One step of a random story; `pick` chooses among what is there. */
type Step =
  | { readonly do: 'try' | 'acquire'; readonly tenant: number; readonly klass: number; readonly deadlineMs: number }
  | { readonly do: 'end' | 'cancel' | 'leave'; readonly pick: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'limit'; readonly limit: number; readonly maxWaitMs: number; readonly mode: number }
  | { readonly do: 'collect' }

const ask = (kind: 'try' | 'acquire') =>
  fc.record({
    do: fc.constant(kind),
    tenant: fc.integer({ min: 0, max: 4 }),
    klass: fc.integer({ min: 0, max: 3 }),
    deadlineMs: fc.integer({ min: -1, max: 60 }),
  })
const pick = (kind: 'end' | 'cancel' | 'leave') =>
  fc.record({ do: fc.constant(kind), pick: fc.integer({ min: 0, max: 1_000 }) })

/** `modes` 1: enforced throughout; 3: switching between all. */
const story = (modes: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: ask('try') },
      { weight: 6, arbitrary: ask('acquire') },
      { weight: 6, arbitrary: pick('end') },
      { weight: 1, arbitrary: pick('cancel') },
      { weight: 1, arbitrary: pick('leave') },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 30 }) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('limit' as const),
          limit: fc.integer({ min: 1, max: 4 }),
          maxWaitMs: fc.integer({ min: 0, max: 40 }),
          mode: fc.integer({ min: 0, max: modes - 1 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('collect' as const) }) },
    ),
    { maxLength: 80 },
  )

/** Plays a story on virtual time and keeps what a host would have in its hands. */
class Player {
  readonly bench: Bench
  readonly running: Permit[] = []
  readonly started: { permit: Permit; remainingMs: number }[] = []
  readonly callers: AbortController[] = []
  limit = 2
  modes = ['enforce', 'observe', 'off'] as const
  mode: 'enforce' | 'observe' | 'off' = 'enforce'
  maxWaitMs = 20
  revision = 1

  constructor() {
    this.bench = bench(this.settings(), { maxTenants: 3, tenantLabels: 2 })
  }

  settings() {
    const { limit, maxWaitMs, mode, revision } = this
    const parts = { limit, mode, maxHoldMs: 100, zombieMaxMs: 50, queue: { maxWaitMs, maxItems: 5 } }
    const quotas = { t0: quota({ rate: 50, burst: 5 }), t1: quota({ concurrency: 2 }) }
    return settings(gatePolicy(parts), { quotas, revision })
  }

  async play(step: Step): Promise<void> {
    const { gate, runtime } = this.bench
    if (step.do === 'try' || step.do === 'acquire') {
      const caller = new AbortController()
      this.callers.push(caller)
      const criticality = CLASSES[step.klass] ?? 'critical'
      const work = { tenant: `t${step.tenant}`, criticality, deadlineMs: step.deadlineMs, signal: caller.signal }
      const entry = step.do === 'try' ? gate.tryAcquire(work) : gate.acquire(work)
      if ('accepted' in entry) this.take(entry)
      else void entry.then((later) => this.take(later))
    } else if (step.do === 'end') {
      const [permit] = this.running.splice(step.pick % Math.max(1, this.running.length), 1)
      permit?.[ENDINGS[step.pick % 4] ?? 'success']()
      if (step.pick % 7 === 0) permit?.success()
    } else if (step.do === 'cancel') this.running[step.pick % Math.max(1, this.running.length)]?.cancel()
    else if (step.do === 'leave') this.callers[step.pick % Math.max(1, this.callers.length)]?.abort()
    else if (step.do === 'pass') runtime.time.advance(step.ms)
    else if (step.do === 'collect') this.bench.figures()
    else if (step.do === 'limit') {
      this.limit = step.limit
      this.maxWaitMs = step.maxWaitMs
      this.mode = this.modes[step.mode] ?? 'enforce'
      this.revision++
      gate.apply(this.settings())
    }
    await settled()
  }

  take(entry: Entry): void {
    if (!entry.accepted) return
    this.running.push(entry)
    if (this.mode === 'enforce') this.started.push({ permit: entry, remainingMs: entry.remainingMs })
  }
}

/** Invariant 1 of the architecture. */
const conserves = ({ bench: { gate, figures } }: Player): void => {
  const seen = figures()
  const { active, waiting } = gate.report()
  const sum = (...names: string[]) => names.reduce((total, name) => total + seen.sum(name), 0)
  expect(sum('offered')).toBe(sum('accepted', 'shed', 'expired', 'cancelled_waiting') + waiting)
  expect(sum('accepted')).toBe(sum('completed', 'late', 'failed', 'cancelled', 'abandoned') + active)
}

describe('in every interleaving', () => {
  it('work is conserved, slots stay under the limit, nothing starts after its deadline, nothing is unbounded', async () => {
    await fc.assert(
      fc.asyncProperty(story(1), async (steps) => {
        const player = new Player()
        const { gate, runtime } = player.bench
        let inUse = 0
        for (const step of steps) {
          await player.play(step)
          const report = gate.report()
          const now = report.active + report.zombies
          expect(now).toBeLessThanOrEqual(Math.max(player.limit, inUse))
          inUse = now
          expect(report.waiting).toBeLessThanOrEqual(5)
          if (report.waiting > 0) expect(now).toBeGreaterThanOrEqual(player.limit)
          expect(runtime.time.pending).toBeLessThanOrEqual(1)
          expect(gate.trackedTenants).toBeLessThanOrEqual(5)
          for (const { permit, remainingMs } of player.started.splice(0))
            if (permit.live) expect(remainingMs).toBeGreaterThan(0)
          conserves(player)
        }
        runtime.time.advance(1_000)
        gate.close()
        await settled()
        conserves(player)
        expect(gate.report()).toMatchObject({ active: 0, zombies: 0, waiting: 0 })
        expect(runtime.time.pending).toBe(0)
        expect(gate.mishaps.faults).toBe(0)
      }),
      { numRuns: 1_500 },
    )
  }, 60_000)

  it('the books add up across every change of mode', async () => {
    await fc.assert(
      fc.asyncProperty(story(3), async (steps) => {
        const player = new Player()
        for (const step of steps) await player.play(step)
        conserves(player)
        expect(player.bench.gate.mishaps.faults).toBe(0)
        player.bench.runtime.time.advance(1_000)
        player.bench.gate.close()
        await settled()
        conserves(player)
        expect(player.bench.gate.report()).toMatchObject({ active: 0, zombies: 0, waiting: 0 })
      }),
      { numRuns: 500 },
    )
  }, 60_000)
})

describe('overload', () => {
  /** Poisson arrivals at `load` times capacity; work of 10 ms on 4 slots; deadline 100 ms. */
  const simulate = async (load: number, ms: number, bench: Bench, seed: number) => {
    const { gate, runtime } = bench
    const random = seededRandom(seed)
    const capacityPerMs = 4 / 10
    const endMs = runtime.time.now() + ms
    let peak = 0
    const arrive = () => {
      if (runtime.time.now() >= endMs) return
      void Promise.resolve(gate.acquire({ deadlineMs: 100 })).then((entry) => {
        if (entry.accepted) runtime.timers.set(() => entry.success(), 5 + 10 * random())
      })
      peak = Math.max(peak, gate.report().waiting)
      runtime.timers.set(arrive, -Math.log(1 - random()) / (capacityPerMs * load))
    }
    arrive()
    await runtime.time.run(ms)
    return peak
  }

  it('10 x the load: the queue stays bounded in time, goodput holds, what is accepted ends in time, and it is over at once', async () => {
    const made = bench(settings(gatePolicy({ limit: 4, queue: { maxWaitMs: 60, maxItems: 100_000 } })))
    const peak = await simulate(10, 3_000, made, 3)
    const seen = made.figures()
    const accepted = seen.sum('accepted')
    expect(seen.sum('completed') / (3_000 * 0.4)).toBeGreaterThan(0.95)
    expect(seen.sum('late') / accepted).toBeLessThan(0.01)
    expect(peak).toBeLessThan(100)
    expect(seen.sum('shed', { reason: 'would-be-late' }) / seen.sum('shed')).toBeGreaterThan(0.9)
    await made.runtime.time.run(200)
    const shed = made.figures().sum('shed')
    expect(made.gate.report()).toMatchObject({ active: 0, waiting: 0 })
    await simulate(0.5, 1_000, made, 4)
    expect(made.figures().sum('shed')).toBe(shed)
  })
})
