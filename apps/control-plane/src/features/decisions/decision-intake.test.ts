import { expect, test } from 'vitest'
import { DecisionIntake } from './decision-intake.ts'
import { type DecisionFilter, DecisionStore, type StoredDecision } from './decision-store.ts'

class Kept extends DecisionStore {
  readonly all: StoredDecision[] = []
  away = false

  override async add(decisions: readonly StoredDecision[]): Promise<void> {
    if (this.away) throw new Error('away')
    this.all.push(...decisions)
  }

  override async list(_filter: DecisionFilter) {
    return { items: this.all, more: false }
  }

  override async maintain(): Promise<void> {}
}

let made = 0
const refusal = (more: Partial<StoredDecision> = {}): StoredDecision => ({
  id: String(made++),
  at: new Date(0).toISOString(),
  environment: 'prod',
  service: 'orders',
  instance: 'i',
  kind: 'gate',
  name: 'checkout',
  outcome: 'shed',
  reason: 'limit-reached',
  signal: 'elsewhere',
  retryAfterMs: 100,
  revision: 1,
  class: 'critical',
  tenant: null,
  route: null,
  waitedMs: 0,
  standsFor: 1,
  traceId: 'a',
  inputs: {} as StoredDecision['inputs'],
  ...more,
})

test('a storm of one reason leaves room for a rare one, and for the next minute', async () => {
  const store = new Kept()
  const intake = new DecisionIntake(store)
  for (let second = 0; second < 60; second++) {
    intake.take(
      [...Array.from({ length: 100 }, () => refusal()), ...(second === 55 ? [refusal({ reason: 'tenant-rate' })] : [])],
      second * 1_000,
    )
    await intake.flush(second * 1_000)
  }
  const of = (reason: string) => store.all.filter((decision) => decision.reason === reason).length
  expect([of('limit-reached'), of('tenant-rate')]).toEqual([6 * 4, 1])
  expect(intake.counts).toEqual({ kept: 25, passed: 6_000 - 24, lost: 0 })
})

test('is bounded for a service that has ten thousand gates, and for ten thousand services', async () => {
  const store = new Kept()
  const intake = new DecisionIntake(store)
  intake.take(
    Array.from({ length: 10_000 }, (_, i) => refusal({ name: `g${i}` })),
    0,
  )
  await intake.flush(0)
  expect(store.all).toHaveLength(40)
  intake.take(
    Array.from({ length: 10_000 }, (_, i) => refusal({ service: `s${i}` })),
    1,
  )
  await intake.flush(1)
  expect(store.all).toHaveLength(400)
})

test('what cannot be written is counted as lost, and nothing waits for it', async () => {
  const store = new Kept()
  const intake = new DecisionIntake(store)
  store.away = true
  intake.take([refusal()], 0)
  await intake.flush(0)
  store.away = false
  await intake.flush(1_000)
  expect([store.all.length, intake.counts]).toEqual([0, { kept: 1, passed: 0, lost: 1 }])
})
