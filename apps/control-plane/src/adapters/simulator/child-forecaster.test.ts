import { trafficSchema } from '@weir/api'
import { BUILT_IN_POLICY } from '@weir/policy/model'
import { expect, test } from 'vitest'
import { ChildForecaster } from './child-forecaster.ts'

const policy = { policy: BUILT_IN_POLICY, quotas: {} }
const question = (seconds: number) => ({
  traffic: trafficSchema.parse({
    version: 1,
    gates: {
      checkout: {
        service: { time: { kind: 'constant', ms: 10 } },
        load: { stretches: [{ ms: seconds * 1_000, perSecond: 100 }], spread: 'even' },
      },
    },
  }),
  draft: policy,
  live: policy,
  maxArrivals: 1e9,
})
const BOUNDS = { withinMs: 60_000, heapMb: 256, answerBytes: 1_000_000 }

test('the simulator plays it in a process of its own, one question at a time', async () => {
  const forecaster = new ChildForecaster(BOUNDS)
  const first = forecaster.forecast(question(10))
  expect(await forecaster.forecast(question(10))).toMatchObject({ ok: false, refusal: { code: 'too-many-requests' } })
  const answer = await first
  expect(answer).toMatchObject({
    ok: true,
    value: { draft: { gates: { checkout: { offered: 999, completed: 999 } } } },
  })
  expect((await forecaster.forecast(question(1))).ok).toBe(true)
})

test('one that takes too long or answers too much is ended, and the next is heard', async () => {
  const slow = new ChildForecaster({ ...BOUNDS, withinMs: 20 })
  expect(await slow.forecast(question(3_600))).toMatchObject({
    refusal: { detail: expect.stringContaining('longer than') },
  })
  const complaints: string[] = []
  const small = new ChildForecaster({ ...BOUNDS, answerBytes: 100 }, (why) => complaints.push(why))
  for (let i = 0; i < 2; i++)
    expect(await small.forecast(question(1))).toMatchObject({
      refusal: { detail: expect.stringContaining('given up') },
    })
  expect(complaints).toHaveLength(2)
})
