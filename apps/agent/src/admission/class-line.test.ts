import { describe, expect, it } from 'vitest'
import { Allowance } from './allowance.ts'
import { ClassLine } from './class-line.ts'
import { quota } from './gate.testkit.ts'
import { Tenant } from './tenant.ts'
import { Waiter } from './waiter.ts'

const KLASS = 0

/** One class's line, and who was started. */
const lined = (weights: Readonly<Record<string, number>> = {}) => {
  const line = new ClassLine()
  const tenants = new Map<string, Tenant>()
  const tenantOf = (name: string): Tenant => {
    const allowance = new Allowance(name, true, quota({ weight: weights[name] ?? 1 }), null, null)
    const tenant = tenants.get(name) ?? new Tenant(allowance)
    tenants.set(name, tenant)
    return tenant
  }
  const flow = (name: string) => tenantOf(name).flow(KLASS)
  const ask = (name: string): Waiter => {
    const waiter = new Waiter(tenantOf(name), KLASS, 1, 0, 1_000, undefined, () => undefined)
    line.push(waiter, flow(name))
    return waiter
  }
  const leave = (waiter: Waiter) => line.remove(waiter, waiter.tenant.flow(KLASS))
  const start = (times = 1): string[] =>
    Array.from({ length: times }, () => {
      const waiter = line.next(false)
      if (!waiter) return 'nobody'
      line.start(waiter, waiter.tenant.flow(KLASS))
      return waiter.tenant.name
    })
  return { line, flow, ask, leave, start }
}
const count = (all: readonly string[], name: string) => all.filter((one) => one === name).length

describe('tenants in one class', () => {
  it('asking again only when served earns no more than the weight', () => {
    const { ask, start } = lined({ flood: 3, serial: 1 })
    for (let i = 0; i < 60; i++) ask('flood')
    ask('serial')
    const started: string[] = []
    for (let i = 0; i < 40; i++) {
      const [name = ''] = start()
      started.push(name)
      if (name === 'serial') ask('serial')
    }
    expect(count(started, 'serial')).toBeLessThanOrEqual(11)
    expect(count(started, 'serial')).toBeGreaterThanOrEqual(9)
  })

  it('saves nothing up while it does not wait: a newcomer gets its share, not what others had before', () => {
    const { ask, start } = lined()
    for (let i = 0; i < 100; i++) ask('busy')
    start(50)
    for (let i = 0; i < 50; i++) ask('new')
    expect(Math.abs(count(start(20), 'new') - 10)).toBeLessThanOrEqual(1)
  })

  it('all are equal again once nobody waited: a light weight does not owe for the last time', () => {
    const { ask, start } = lined({ light: 0.01 })
    ask('light')
    start()
    ask('light')
    ask('heavy')
    expect(start(2)).toEqual(['light', 'heavy'])
  })

  it('a weight of next to nothing is still one: its work goes on', () => {
    const { ask, start, flow } = lined({ least: 0 })
    for (let i = 0; i < 3; i++) ask('least')
    expect(start(3)).toEqual(['least', 'least', 'least'])
    expect(flow('least').startTag).toBe(3_000)
  })

  it('of equals the one that began to wait first goes first', () => {
    const { ask, start } = lined()
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const name of names) ask(name)
    expect(start(6)).toEqual(names)
  })

  it('counts as ahead what the others start in the meantime, also after some of them left or started', () => {
    const { line, flow, ask, leave, start } = lined({ b: 4 })
    const left = Array.from({ length: 10 }, () => ask('b'))
    for (let i = 0; i < 5; i++) ask('c')
    expect(line.ahead(flow('d'))).toBe(5)
    for (const waiter of left) leave(waiter)
    expect(line.ahead(flow('d'))).toBe(1)
    expect(start(5)).toEqual(['c', 'c', 'c', 'c', 'c'])
    expect([line.ahead(flow('d')), line.size, line.weight]).toEqual([0, 0, 0])
  })

  it('the longest is the one with the most waiting for its weight', () => {
    const { line, flow, ask } = lined({ heavy: 4 })
    for (let i = 0; i < 2; i++) ask('light')
    for (let i = 0; i < 4; i++) ask('heavy')
    expect(line.longest()).toBe(flow('light'))
  })
})
