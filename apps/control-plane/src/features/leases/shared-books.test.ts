import { describe, expect, it } from 'vitest'
import type { LeaseSeat } from './leases-port.ts'
import { MemoryClaims } from './memory-claims.testkit.ts'
import { OwnBooks } from './own-books.ts'
import { ReplicaPost } from './replica-post.ts'
import { CLAIMS, RATE, SharedWorld } from './shared-books.testkit.ts'
import { SharedBooks } from './shared-books.ts'

const SETTLED_MS = 15_000
const TAKEN_OVER_MS = CLAIMS.claimMs + CLAIMS.spareMs + 2 * CLAIMS.turnMs
const ROUNDING = 1e-9

const settled = async (seed: number, replicas = 3, agents = 8) => {
  const world = new SharedWorld(seed, 1_000)
  for (let i = 0; i < replicas; i++) world.start()
  for (let i = 0; i < agents; i++) world.join(1_000)
  let peak = 0
  const run = (ms: number) =>
    world.run(world.nowMs + ms, () => {
      peak = Math.max(peak, world.used)
    })
  await run(SETTLED_MS)
  return { world, run, peak: () => peak }
}

describe('books of leases that replicas share', () => {
  it('agents of all replicas share one quota, and use nearly all of it', async () => {
    const { world, peak } = await settled(1)
    expect(new Set(world.agents.map(({ replica }) => replica?.name)).size).toBeGreaterThan(1)
    expect(world.used).toBeGreaterThan(0.97)
    expect(peak()).toBeLessThanOrEqual(1 + ROUNDING)
  })

  it('one owns the book, and every replica shows what it says', async () => {
    const { world, run } = await settled(2)
    expect(world.living.filter(({ books }) => books.claims.owns('orders'))).toHaveLength(1)
    for (const { books } of world.living) {
      const asked = Promise.all([books.figures('orders'), books.shares('orders', RATE, { after: null, limit: 100 })])
      await run(500)
      const [figures, shares] = await asked
      expect(figures?.quotas).toMatchObject([{ tenant: 'acme', agents: 8 }])
      expect(shares).toHaveLength(8)
    }
  })

  it('an owner that dies is followed once its claim is over, and no moment passes the quota', async () => {
    const { world, run, peak } = await settled(3)
    const former = world.owner
    former?.die()
    await run(TAKEN_OVER_MS)
    expect(world.owner).not.toBeNull()
    expect(world.owner).not.toBe(former)
    await run(SETTLED_MS)
    expect(world.used).toBeGreaterThan(0.97)
    expect(peak()).toBeLessThanOrEqual(1 + ROUNDING)
  })

  it('an owner that ends as planned is followed within two turns', async () => {
    const { world, run, peak } = await settled(4)
    const former = world.owner
    await Promise.all([former?.books.end(), run(200)])
    former?.die()
    await run(2 * CLAIMS.turnMs)
    expect(world.owner).not.toBeNull()
    await run(SETTLED_MS)
    expect([world.used > 0.97, peak() <= 1 + ROUNDING]).toEqual([true, true])
  })

  it('a store that loses its memory leaves the book with its owner', async () => {
    const { world, run, peak } = await settled(5)
    const { owner } = world
    world.claims.lose()
    await run(5 * CLAIMS.claimMs)
    expect(world.owner).toBe(owner)
    expect(owner).not.toBeNull()
    expect([world.used > 0.97, peak() <= 1 + ROUNDING]).toEqual([true, true])
  })

  it('while the store is away nobody owns it, agents keep their safe capacity, and all is well once it is back', async () => {
    const { world, run, peak } = await settled(6)
    world.claims.away = true
    await run(30_000)
    expect(world.owner).toBeNull()
    expect(world.used).toBeGreaterThan(0.9)
    world.claims.away = false
    await run(2 * SETTLED_MS)
    expect([world.owner !== null, world.used > 0.97, peak() <= 1 + ROUNDING]).toEqual([true, true, true])
  })

  it('an owner that is cut off stops granting before another one begins', async () => {
    const { world, run, peak } = await settled(7)
    const { owner } = world
    if (owner === null) throw new Error('Somebody owns it.')
    owner.cut = true
    for (let i = 0; i < 40; i++) {
      await run(250)
      expect(world.living.filter(({ books }) => books.claims.owns('orders')).length).toBeLessThan(2)
    }
    expect([world.owner === owner, world.owner !== null]).toEqual([false, true])
    expect(peak()).toBeLessThanOrEqual(1 + ROUNDING)
  })

  it('what a process says that was replaced does not take the lease of the one of its name', async () => {
    const { world, run, peak } = await settled(8, 2, 4)
    for (let i = 0; i < 20; i++) {
      const old = world.agents.findLast(({ alive, name }) => alive && name === 'agent 0')
      world.loss = 0.2
      old?.bye()
      world.join(1_000, 'agent 0')
      await run(700)
    }
    expect(peak()).toBeLessThanOrEqual(1 + ROUNDING)
  })
})

describe('a book of agents that go without a word', () => {
  it('remembers no more connections than so many, those of whoever asked last', async () => {
    let nowMs = 0
    const monotonicMs = () => nowMs
    const released: string[] = []
    class Released extends OwnBooks {
      override release({ instance }: LeaseSeat): void {
        released.push(instance)
      }
    }
    class NoPost extends ReplicaPost {
      override send(): void {}
      override receive = () => () => {}
    }
    const own = new Released({
      store: { before: async () => ({ agents: new Set(), quotas: {} }) },
      inForce: async () => null,
      monotonicMs,
      random: () => 0.5,
      epoch: () => 'e',
      onError: (error) => {
        throw error
      },
    })
    const store = new MemoryClaims(CLAIMS, monotonicMs)
    const books = new SharedBooks({ own, post: new NoPost(), replica: 'r', timing: CLAIMS, store, monotonicMs })
    const seat = (n: number): LeaseSeat => ({
      serviceId: 'orders',
      environment: 'prod',
      service: 'orders',
      instance: `agent ${n}`,
      openedMs: 0,
    })
    for (; books.claims.ownerOf('orders') === null; nowMs += CLAIMS.turnMs) await books.turn()
    for (let n = 0; n <= 50_000; n++) books.ask(seat(n), [], () => {})
    for (const n of [0, 1, 50_000]) books.release(seat(n))
    expect(released).toEqual(['agent 1', 'agent 50000'])
  })
})

const SEEDS = 60
const STORM_MS = 40_000

/** A minute in which everything happens. Returns the most that was usable, as a share of the quota. */
const storm = async (seed: number): Promise<{ peak: number; owners: number }> => {
  const world = new SharedWorld(seed, 1_000)
  const { random } = world
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)]
  world.start()
  world.start()
  for (let i = 0; i < 4; i++) world.join(random() * 1_000)
  const living = () => world.agents.filter(({ alive }) => alive)
  const happenings: (() => unknown)[] = [
    () => living().length < 8 && world.join(random() * 1_000),
    () => pick(living())?.bye(),
    () => pick(living())?.leaves(),
    () => {
      const agent = pick(living())
      if (agent !== undefined) agent.want = random() * 1_000
    },
    () => world.living.length > 1 && pick(world.living)?.die(),
    () => world.living.length > 1 && world.owner?.die(),
    () => world.living.length < 3 && world.start(),
    () => world.living.length < 3 && world.start(),
    () => {
      const replica = pick(world.living)
      if (replica !== undefined) replica.cut = !replica.cut
    },
    () => {
      world.loss = pick([0, 0.1, 0.4]) ?? 0
    },
    () => {
      world.delayMs = pick([5, 100, 800]) ?? 5
    },
    () => world.claims.lose(),
    () => {
      world.claims.away = !world.claims.away
    },
    () => {
      world.setMs += pick([-60_000, -500, 500, 60_000]) ?? 0
    },
    () => {
      const { owner } = world
      if (owner !== null && world.living.length > 1) void owner.books.end().then(() => owner.die())
    },
  ]
  const strike = () => {
    pick(happenings)?.()
    world.in(random() * 1_200, strike)
  }
  world.in(3_000, strike)
  let peak = 0
  let owners = 0
  await world.run(STORM_MS, () => {
    peak = Math.max(peak, world.used)
    owners = Math.max(owners, world.living.filter(({ books }) => books.claims.owns('orders')).length)
  })
  return { peak, owners }
}

describe('in a storm of deaths, cuts, lost and late letters, and stores that forget', () => {
  it(`no moment of ${SEEDS} seeds passes the quota, and never do two own the book`, async () => {
    const broken: string[] = []
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { peak, owners } = await storm(seed)
      if (peak > 1 + ROUNDING || owners > 1) broken.push(`seed ${seed}: ${peak} of the quota, ${owners} owners`)
    }
    expect(broken).toEqual([])
  })
})
