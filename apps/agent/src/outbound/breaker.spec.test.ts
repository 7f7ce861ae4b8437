import type { BreakerPolicy } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import spec from '../../../../spec/breaker.json' with { type: 'json' }
import { Breaker, type Ticket } from './breaker.ts'

const STATES = ['closed', 'open', 'half-open']

/** Plays the steps of one case; the step's index is in every message. */
const play = (policy: BreakerPolicy, steps: readonly string[]) => {
  const breaker = new Breaker(policy, 0)
  let now = 0
  const verdict = (kind: string, durationMs: number, where: string) => {
    const ticket = breaker.tryAcquire(now) as Ticket
    expect(ticket, where).not.toBeNull()
    if (kind === 'S') breaker.success(ticket, now, durationMs)
    else if (kind === 'E') breaker.failure(ticket, now, durationMs)
    else breaker.neutral(ticket)
  }
  for (const [index, step] of steps.entries()) {
    const where = `step ${index}: ${step}`
    const call = /^(\d*)([SEI])(?:\+(\d+))?$/.exec(step)
    if (call) for (let i = 0; i < Number(call[1] || 1); i++) verdict(call[2] ?? '', Number(call[3] ?? 0), where)
    else if (step.startsWith('+')) now += Number(step.slice(1))
    else if (STATES.includes(step)) expect(breaker.view(now), where).toBe(step)
    else expect(breaker.tryAcquire(now) !== null, where).toBe(step === 'in')
  }
}

describe('breaker, from spec/breaker.json', () => {
  it.each(spec.cases)('T6 $name', ({ policy, steps }) => {
    play({ ...spec.defaults, ...policy } as BreakerPolicy, steps)
  })
})
