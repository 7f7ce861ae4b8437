import { describe, expect, it } from 'vitest'
import { LedgerRig, TIMING } from './ledger.testkit.ts'
import { longestMs } from './timing.ts'

const sum = (values: Iterable<number | null>) => [...values].reduce<number>((total, value) => total + (value ?? 0), 0)
const settled = (rig: LedgerRig, wants: Record<string, number>, rounds = 6) => {
  let last = rig.round(wants)
  for (let i = 1; i < rounds; i++) last = rig.round(wants)
  return last
}
/** What is held back for newcomers once nobody has joined for a while. */
const CALM = 5

describe('a ledger of leases', () => {
  it('D12 divides by true max-min, apart from what it holds back for newcomers', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 50, b: 270, c: 330, d: 1_000 }, 12)
    expect(rig.round({ a: 50, b: 270, c: 330, d: 1_000 })).toEqual({ a: 50, b: 270, c: 330, d: 350 - CALM })
  })

  it('D13 a newcomer is given something at once, and its share when the others have said that they shrank', () => {
    const rig = new LedgerRig(1_000)
    expect(settled(rig, { a: 5_000 })).toEqual({ a: 1_000 - CALM })
    const first = rig.ask('b', 5_000)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(CALM)
    expect(rig.ask('a', 5_000)).toBe(490)
    expect(rig.ask('b', 5_000)).toBeLessThanOrEqual(CALM)
    expect(rig.outstanding).toBeLessThanOrEqual(1_000)
    rig.obeys('a')
    expect(rig.ask('b', 5_000)).toBe(490)
  })

  it('grants the share of an idle agent to others within two refreshes, and it returns when it is wanted', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 5_000, b: 5_000 }, 12)
    rig.round({ a: 5_000, b: 0 })
    expect(rig.round({ b: 0, a: 5_000 })).toEqual({ a: 995, b: 0 })
    rig.round({ a: 5_000, b: 5_000 })
    expect(rig.round({ a: 5_000, b: 5_000 }).b).toBeGreaterThan(480)
  })

  it('keeps the lease of an agent that fell silent until it has ended, then its safe capacity until it counts as dead', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 400, b: 5_000 }, 12)
    const granted: number[] = []
    for (let ms = 0; ms < TIMING.presumedDeadMs + 3_000; ms += 1_000) granted.push(rig.round({ b: 5_000 }).b ?? 0)
    expect(granted[0]).toBe(595)
    expect(Math.max(...granted.slice(0, 4))).toBeLessThanOrEqual(600)
    const waitS = TIMING.waitMs / 1_000
    expect(granted.slice(waitS, TIMING.presumedDeadMs / 1_000 - 2)).toSatisfy((all: number[]) =>
      all.every((one) => one === 495),
    )
    expect(granted.at(-1)).toBe(995)
  })

  it('makes room for the safe capacity of a silent agent that had leased less, before it may use it', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 0, b: 5_000 }, 12)
    expect(rig.held('a')).toMatchObject({ units: 0, safe: 500 })
    const untilMs = rig.nowMs - 1_000 + TIMING.waitMs
    while (rig.nowMs < untilMs) rig.round({ b: 5_000 })
    // Whatever b holds now was granted in time.
    expect(rig.held('b')?.units).toBeLessThanOrEqual(500)
  })

  it('takes back at once what is given back', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 5_000, b: 5_000 }, 12)
    rig.ledger.release('a', rig.nowMs)
    expect(rig.ask('b', 5_000)).toBe(995)
    rig.ledger.release('nobody', rig.nowMs)
  })

  it('reaches a lowered quota with the next answers, and a raised one at once', () => {
    const rig = new LedgerRig(1_000)
    const wants = { a: 5_000, b: 5_000 }
    settled(rig, wants, 12)
    rig.ledger.setCapacity(100, rig.nowMs)
    expect(sum(Object.values(rig.round(wants)))).toBe(100)
    expect(sum(Object.values(rig.round(wants)))).toBe(100)
    rig.ledger.setCapacity(1_000, rig.nowMs)
    expect(sum(Object.values(rig.round(wants)))).toBe(995)
  })

  it('remembers what was wanted beyond a lowered quota: whoever asks first once it is raised gets its share, not what is left', () => {
    const rig = new LedgerRig(1_000)
    const wants = { a: 5_000, b: 5_000, c: 100 }
    settled(rig, wants, 12)
    rig.ledger.setCapacity(100, rig.nowMs)
    settled(rig, wants)
    rig.ledger.setCapacity(1_000, rig.nowMs)
    expect([rig.ask('a', 5_000), rig.ask('c', 100), rig.ask('b', 5_000)]).toEqual([448, 100, 447])
  })

  it('leaves nobody with nothing while a lowered quota is told to one after another', () => {
    const rig = new LedgerRig(1_000)
    const agents = Array.from({ length: 10 }, (_, i) => `agent ${i}`)
    const step = (agent: string) => {
      const units = rig.ask(agent, 5_000) ?? 0
      rig.obeys(agent)
      rig.nowMs += TIMING.refreshMs / agents.length
      return units
    }
    for (let round = 0; round < 12; round++) for (const agent of agents) step(agent)
    rig.ledger.setCapacity(100, rig.nowMs)
    for (let round = 0; round < 3; round++) expect(agents.map(step)).toEqual(agents.map(() => 10))
  })

  it('a lowered quota binds whoever comes: what is out under the old one is not added to', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 5_000 }, 12)
    rig.ledger.setCapacity(100, rig.nowMs)
    expect(rig.ask('b', 5_000)).toBeLessThanOrEqual(50)
    expect(rig.outstanding).toBeLessThanOrEqual(1_000)
  })

  it('what fits only under the old quota is granted only for as long as leases under it may last', () => {
    const rig = new LedgerRig(1_000)
    settled(rig, { a: 5_000, b: 5_000 }, 12)
    rig.ledger.setCapacity(100, rig.nowMs)
    const oldUntilMs = rig.nowMs + longestMs(TIMING)
    settled(rig, { a: 90, b: 10 }, 2)
    expect(rig.held('a')?.units).toBeGreaterThan(80)
    // The smaller lease is lost on its way: what it had counts to its end, after the old quota's.
    rig.ask('a', 10)
    expect(rig.ask('b', 5_000)).toBeGreaterThan(50)
    expect(rig.nowMs + (rig.held('b')?.expiresInMs ?? 0)).toBeLessThanOrEqual(oldUntilMs)
  })

  it('counts the slots that are in use beyond a shrunk lease', () => {
    const rig = new LedgerRig(100)
    settled(rig, { a: 200 }, 12)
    rig.ask('a', 200, 100)
    rig.ask('b', 200)
    rig.ask('a', 200, 90)
    rig.obeys('a', 90)
    expect(rig.held('a')?.units).toBe(49)
    expect(rig.ask('b', 200)).toBeLessThanOrEqual(10)
    rig.obeys('a', 20)
    expect(rig.ask('b', 200)).toBe(49)
  })

  it('gives nobody more than the quota, however much is wanted, and nothing of a quota of 0', () => {
    const rig = new LedgerRig(0)
    expect(rig.round({ a: 1e300, b: 0.5 })).toEqual({ a: 0, b: 0 })
    const one = new LedgerRig(1)
    expect(sum(Object.values(settled(one, { a: 1e300, b: 0.5, c: 3 })))).toBe(1)
  })

  it('spreads the ends of leases', () => {
    const rig = new LedgerRig(100)
    rig.ask('a', 1)
    expect(rig.held('a')?.expiresInMs).toBe(TIMING.lengthMs)
  })
})

describe('a ledger after another one', () => {
  const before = { agents: new Set(['a', 'b']), largest: 100 }
  const held = (units: number, parts: object = {}) => ({
    epoch: 'former',
    id: 7,
    units,
    safe: 50,
    expiresInMs: 3_000,
    stepInMs: 9_000,
    deadInMs: 50_000,
    ...parts,
  })

  it('D14 learns before it grants: no news while some have not told, then as ever', () => {
    const rig = new LedgerRig(100, { before, epoch: 'second' })
    rig.holds('a', held(90))
    expect(rig.ask('a', 120)).toBeNull()
    expect(rig.ask('c', 10)).toBe(0)
    rig.holds('b', held(10))
    expect(rig.ask('b', 30)).not.toBeNull()
    expect(rig.outstanding).toBeLessThanOrEqual(100)
    for (let i = 0; i < 6; i++) rig.round({ a: 120, b: 30, c: 10 })
    expect(rig.round({ a: 120, b: 30, c: 10 })).toEqual({ a: 60, b: 30, c: 10 })
  })

  it('waits for those that do not come back until their leases have ended, and keeps their safe capacity until they count as dead', () => {
    const rig = new LedgerRig(100, { before, epoch: 'second' })
    rig.holds('a', held(50))
    const granted: (number | null)[] = []
    for (let ms = 0; ms < 70_000; ms += 1_000) granted.push(rig.round({ a: 200 }).a ?? null)
    expect(granted[0]).toBe(50)
    expect(Math.max(...granted.slice(0, 55).map((units) => units ?? 0))).toBe(50)
    expect(granted.at(-1)).toBe(100)
  })

  it('leaves one that has fallen back to its safe capacity that much, while others may hold all', () => {
    const rig = new LedgerRig(100, { before, epoch: 'second' })
    rig.holds('a', { ...held(50), safe: 30, expiresInMs: 0, stepInMs: 0 })
    const granted = rig.round({ a: 200 }).a ?? null
    expect(granted === null || granted >= 30).toBe(true)
  })

  it('takes one that holds nothing any more for told', () => {
    const rig = new LedgerRig(100, { before, epoch: 'second' })
    rig.ask('a', 0)
    rig.ledger.release('b', rig.nowMs)
    expect(rig.ask('c', 80)).toBe(80)
  })
})
