import { describe, expect, it } from 'vitest'
import { Allowance } from './allowance.ts'
import { ClassSlots } from './class-slots.ts'
import { gatePolicy, quota } from './gate.testkit.ts'
import { WaitQueue } from './queue.ts'
import { Tenant } from './tenant.ts'
import { Waiter } from './waiter.ts'

const [TOP, CRITICAL, PLUS, LOWEST] = [0, 1, 2, 3] as const

const queued = () => {
  const queue = new WaitQueue()
  const tenant = (name: string) => new Tenant(new Allowance(name, true, quota({}), null, null))
  const ask = (who: Tenant, klass: number, arrivedMs = 0, deadlineMs = 100_000): Waiter => {
    const waiter = new Waiter(who, klass, 1, arrivedMs, deadlineMs, undefined, () => undefined)
    waiter.mayWait(1_000)
    queue.push(waiter, arrivedMs)
    return waiter
  }
  return { queue, tenant, ask }
}

/** Under a limit of ten, one slot reserved for the lowest class. */
const slots = () => {
  const classes = new ClassSlots({
    ...gatePolicy().classes,
    reserves: { 'critical-plus': 0, critical: 0, 'sheddable-plus': 0, sheddable: 0.1 },
  })
  classes.follow(10)
  return classes
}

describe('whose turn it is', () => {
  it('work started by its class’s reserve does not use up the turn of aged work', () => {
    const { queue, tenant, ask } = queued()
    ask(tenant('high'), TOP)
    const [first, second] = [ask(tenant('a'), LOWEST), ask(tenant('b'), LOWEST)]
    queue.start(first, 900, true)
    expect(queue.next(false, 900)).toBe(second)
  })

  it('of aged classes the one whose oldest waited longest goes first', () => {
    const { queue, tenant, ask } = queued()
    ask(tenant('high'), TOP)
    const older = ask(tenant('a'), PLUS, 0)
    ask(tenant('b'), LOWEST, 10)
    expect(queue.next(false, 900)).toBe(older)
  })

  it('a class that is being shed borrows nothing, however long it waits', () => {
    const { queue, tenant, ask } = queued()
    const classes = slots()
    classes.take(LOWEST)
    ask(tenant('low'), LOWEST)
    expect([queue.turn(900, classes, true, 0), queue.turn(900, classes, true, 1)]).toEqual([LOWEST, -1])
  })
})

describe('who leaves a full queue', () => {
  it('of a lower class only what waits beyond its reserve', () => {
    const { queue, tenant, ask } = queued()
    const newcomer = tenant('new')
    ask(tenant('a'), LOWEST)
    expect(queue.displaced(newcomer, CRITICAL, slots(), false)).toBeUndefined()
    const second = ask(tenant('b'), LOWEST)
    expect(queue.displaced(newcomer, CRITICAL, slots(), false)).toBe(second)
  })

  it('of the own class only who has more waiting than the newcomer’s tenant would', () => {
    const { queue, tenant, ask } = queued()
    const [a, b] = [tenant('a'), tenant('b')]
    ask(a, CRITICAL)
    ask(b, CRITICAL)
    for (const who of [a, b, tenant('new')]) expect(queue.displaced(who, CRITICAL, slots(), false)).toBeUndefined()
    const last = ask(a, CRITICAL)
    expect(queue.displaced(tenant('new'), CRITICAL, slots(), false)).toBe(last)
    expect(queue.displaced(b, CRITICAL, slots(), false)).toBeUndefined()
  })

  it('newest first, the oldest of the tenant’s own, where it has the most', () => {
    const { queue, tenant, ask } = queued()
    const flood = tenant('flood')
    const oldest = ask(flood, CRITICAL)
    ask(flood, CRITICAL)
    expect(queue.displaced(flood, CRITICAL, slots(), true)).toBe(oldest)
    expect(queue.displaced(flood, CRITICAL, slots(), false)).toBeUndefined()
  })
})
