import type { Dependency } from '@weir/agent'
import { measure } from '../rounds.ts'
import { dependency } from './world.ts'

const noOp = async (): Promise<void> => undefined
const never = (): Promise<never> => new Promise(() => {})
const options = { idempotent: true, deadlineMs: 1_000 }

/** Calls that go round so many dependencies. */
const among = (count: number): (() => Promise<unknown>) => {
  const all = Array.from({ length: count }, (_, i) => dependency(`d${i}`, { throttle: {} }))
  let turn = 0
  return () => (all[turn++ % count] as Dependency).call(noOp, options)
}

/** Calls beside so many that are in flight. */
const beside = (count: number): (() => Promise<unknown>) => {
  const one = dependency('busy', { ceiling: 20_000, timeoutMs: 3_600_000, throttle: {} })
  for (let i = 0; i < count; i++) one.call(never).catch(() => undefined)
  return () => one.call(noOp, options)
}

const placed = (): (() => Promise<unknown>) => {
  const one = dependency('replicated')
  const endpoints = ['a', 'b', 'c', 'd']
  return () => one.call(noOp, { ...options, endpoints })
}

/** Nanoseconds of processor time per call. */
export const cost = () =>
  measure(
    {
      one: among(1),
      dependencies10: among(10),
      dependencies10000: among(10_000),
      inFlight0: beside(0),
      inFlight10000: beside(10_000),
      replicas4: placed(),
    },
    { calls: 20_000, rounds: 9 },
  )
