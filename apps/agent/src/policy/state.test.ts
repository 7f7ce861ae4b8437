import { policyHash } from '@weir/policy/hash'
import { WIRE } from '@weir/wire/model'
import { describe, expect, it } from 'vitest'
import type { Offer } from './standing.ts'
import { PolicyState } from './state.ts'

const offer = (revision: number, gates: object, more: Partial<Offer> = {}): Offer => {
  const effective = { policy: { version: 1, gates }, quotas: {} }
  return { source: 'stream', identity: { databaseId: 'db', revision, hash: policyHash(effective) }, effective, ...more }
}

describe('the policy in force', () => {
  it('applies what it is offered and tells partly from applied', () => {
    const state = new PolicyState(() => [])
    expect(state.offer(offer(1, { a: { concurrency: 5 } }))).toMatchObject({ changed: true, status: 'applied' })
    expect(state.offer(offer(2, { a: { concurrency: 0 }, b: {} }))).toMatchObject({ changed: true, status: 'partly' })
    expect(state.effective.policy.gates.a?.concurrency.initial).toBe(5)
    expect(state.standing.identity?.revision).toBe(2)
  })

  it('refuses content that its hash does not vouch for, and keeps the old', () => {
    const state = new PolicyState(() => [])
    state.offer(offer(1, { a: { concurrency: 5 } }))
    const forged = {
      ...offer(2, { a: { concurrency: 6 } }),
      identity: { databaseId: 'db', revision: 2, hash: '0'.repeat(64) },
    }
    expect(state.offer(forged)).toMatchObject({ changed: false, status: 'refused' })
    expect(state.standing.identity?.revision).toBe(1)
    expect(state.effective.policy.gates.a?.concurrency.initial).toBe(5)
  })

  it('never goes back to an earlier revision of the same database', () => {
    const state = new PolicyState(() => [])
    state.offer(offer(7, { a: {} }))
    expect(state.offer(offer(6, { b: {} }))).toMatchObject({ changed: false, status: 'refused' })
    expect(Object.keys(state.effective.policy.gates)).toEqual(['a'])
  })

  it('starts anew with another database', () => {
    const state = new PolicyState(() => [])
    state.offer(offer(7, { a: {} }))
    const restored = offer(1, { b: {} })
    const moved = {
      ...restored,
      identity: { databaseId: 'restored', revision: 1, hash: restored.identity?.hash ?? '' },
    }
    expect(state.offer(moved)).toMatchObject({ changed: true, status: 'applied' })
  })

  it('answers a repeat as it answered the first time and applies nothing again', () => {
    const state = new PolicyState(() => [])
    const partly = offer(1, { a: { concurrency: 0 }, b: {} })
    const first = state.offer({ ...partly, source: 'disk' })
    const effective = state.effective
    const again = state.offer(partly)
    expect(again).toEqual({ ...first, changed: false })
    expect(state.effective).toBe(effective)
    expect(state.standing.source).toBe('stream')
  })

  it('lists a bounded number of problems of bounded length', () => {
    const gates = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`g${i}`, { concurrency: 0 }]))
    const { refused } = new PolicyState(() => []).offer(offer(1, gates))
    expect(refused).toHaveLength(WIRE.refusedProblems)
    expect(refused.at(-1)?.message).toBe('And 301 more.')
  })
})
