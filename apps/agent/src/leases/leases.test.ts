import { DEFAULT_TENANTS, type Quota, RATE_GRAINS } from '@weir/policy/model'
import { WIRE } from '@weir/wire/model'
import { describe, expect, it } from 'vitest'
import { Leased } from './leased.ts'
import { Leases } from './leases.ts'

const REFRESH_MS = 2_000
const RATE: Quota = { rate: 100, burst: 100, concurrency: null, weight: 1 }
const BOTH: Quota = { ...RATE, concurrency: 4 }

const rig = () => {
  const leases = new Leases(REFRESH_MS, () => 0.5)
  const make = (tenant: string, quota = RATE) => {
    const bucket = { reshare: () => undefined, edit: () => undefined }
    const leased = new Leased('front', tenant, { bucket, concurrency: null, held: 0 }, leases)
    leased.obey(quota, DEFAULT_TENANTS, 0)
    return leased
  }
  return { leases, make }
}

describe('the leases of one process', () => {
  it('have room in the only question for as long as it is the only one, however long the names are', () => {
    const { leases, make } = rig()
    const nameOf = (n: number) => `${n} `.padEnd(256, '\u0001')
    let asked = 0
    for (; leases.hasRoomFor({ resource: 'front', tenant: nameOf(asked) }); asked++) leases.add(make(nameOf(asked)), 0)
    expect(asked).toBeGreaterThan(30)
    const question = leases.ask(0)
    expect(question).toMatchObject({ whole: true })
    expect(JSON.stringify(question).length).toBeLessThan(WIRE.maxAgentMessageBytes)
    leases.add(make(nameOf(asked)), 0)
    expect(leases.ask(REFRESH_MS)?.whole).toBe(false)
  })

  /** Asks and answers until nothing is due: the tenants of each question. */
  const askAll = (leases: Leases, nowMs: number) => {
    const tenants: (string | null)[][] = []
    for (let question = leases.ask(nowMs); question !== null; question = leases.ask(nowMs)) {
      tenants.push(question.asked.map(({ tenant }) => tenant))
      leases.take(question.n, [], nowMs)
    }
    return tenants
  }
  const many = ({ leases, make }: ReturnType<typeof rig>) => {
    const all = Array.from({ length: 1_200 }, (_, i) => make(`tenant ${i}`))
    for (const leased of all) leases.add(leased, 0)
    return all
  }

  it('are asked for in questions that go one at a time, first the one that waits longest', () => {
    const { leases, make } = rig()
    many({ leases, make })
    const questions = askAll(leases, REFRESH_MS)
    expect(questions.length).toBeGreaterThan(2)
    expect(new Set(questions.flat()).size).toBe(1_200)
    const again = [leases.ask(4 * REFRESH_MS), leases.ask(8 * REFRESH_MS)]
    expect(again.map((question) => question?.asked.map(({ tenant }) => tenant))).toEqual(questions.slice(0, 2))
  })

  it('are kept if they were used in a long time without a connection, and are one question again without the others', () => {
    const { leases, make } = rig()
    const all = many({ leases, make })
    askAll(leases, REFRESH_MS)
    const awayMs = 10 * 60_000
    const used = all.slice(0, 200)
    for (const leased of used) leased.rate?.demand.refused(1)
    leases.connected()
    expect(askAll(leases, awayMs).flat()).toHaveLength(1_200)
    expect(leases.all).toEqual(used)
    expect(leases.ask(awayMs + 2 * REFRESH_MS)).toMatchObject({ whole: true })
  })

  it('make no room among those that nothing was heard of for want of a connection', () => {
    const { leases, make } = rig()
    const add = (n: number, nowMs: number) => {
      const leased = make(`tenant ${n}`)
      leases.add(leased, nowMs)
      return leased.isDrawn
    }
    let n = 0
    while (add(n, 0)) n++
    for (const leased of leases.all) leased.rate?.demand.refused(1)
    askAll(leases, REFRESH_MS)
    expect(add(n, 10 * 60_000)).toBe(false)
    for (const nowMs of [3, 6, 9].map((refreshes) => 10 * 60_000 + refreshes * REFRESH_MS)) askAll(leases, nowMs)
    expect(add(n, 10 * 60_000 + 9 * REFRESH_MS)).toBe(true)
  })

  it('leave nothing to one that loses its place: what is not named must not be used', () => {
    const { leases, make } = rig()
    const first = make('first')
    for (const leased of [first, make('second')]) leases.add(leased, 0)
    let last: Leased
    do {
      last = make(`tenant ${leases.all.length}`, BOTH)
      leases.add(last, 0)
    } while (last.isDrawn)
    const { n } = leases.ask(0) ?? { n: 0 }
    const terms = { lengthMs: 8_000, safe: RATE_GRAINS, waitMs: 18_000, deadMs: 600_000, refreshMs: REFRESH_MS }
    const grant = { epoch: 'e', id: 1, quota: 100 * RATE_GRAINS, units: 7 * RATE_GRAINS, ...terms }
    leases.take(n, [{ resource: 'front', tenant: first.tenant, kind: 'rate', grant }], 10)
    expect(first.status(10)).toMatchObject([{ usable: 7, leased: true }])
    first.obey(BOTH, DEFAULT_TENANTS, 20)
    leases.add(first, 20)
    expect(first.isDrawn).toBe(false)
    expect(first.status(20)).toMatchObject([{ usable: 0, leased: false }, { usable: 0 }])
  })
})
