import { DURATION_BOUNDS_S } from '@weir/wire/model'
import { expect, test } from 'vitest'
import type { Figures } from '../outcomes/outcome-store.ts'
import { mostActive, serviceModel } from './service-model.ts'

/** Ten seconds of one process. Times in seconds. */
const bucket = (given: { ended: number; ranS: number; waitedS?: number; failed?: number }): Figures => {
  const { ended, ranS, waitedS = 0, failed = 0 } = given
  const at = DURATION_BOUNDS_S.findIndex((bound) => ranS + waitedS <= bound)
  return {
    completed: ended - failed,
    failed,
    duration_counts: Array.from({ length: DURATION_BOUNDS_S.length + 1 }, (_, i) => (i === at ? ended : 0)),
    duration_sum: ended * (ranS + waitedS),
    wait_sum: ended * waitedS,
    gauge_seconds: 10,
    active_integral: ended * ranS,
  } as Partial<Figures> as Figures
}

test('work that always takes as long, however much of it runs, has no bound of its own', () => {
  const model = serviceModel([bucket({ ended: 100, ranS: 0.1 }), bucket({ ended: 1_000, ranS: 0.1, failed: 110 })])
  expect(model).toMatchObject({ concurrency: null, failed: 0.1, time: { meanMs: 100 } })
})

test('work that is slower the more of it runs shares so many places as keep the busy rate at the calm speed', () => {
  const calm = Array.from({ length: 10 }, () => bucket({ ended: 100, ranS: 0.1 }))
  // 8 places of 100 ms: 80/s, whatever is offered; with 24 in progress each takes 300 ms.
  const busy = Array.from({ length: 10 }, () => bucket({ ended: 800, ranS: 0.3 }))
  const model = serviceModel([...busy, ...calm])
  expect(model?.concurrency).toBeGreaterThan(7)
  expect(model?.concurrency).toBeLessThan(9)
  expect(model?.time).toMatchObject({ meanMs: expect.closeTo(100, -1) })
  expect(mostActive([...busy, ...calm])).toBeCloseTo(24)
})

test('waiting is no part of it: calm buckets tell the shape, else the mean is what is left', () => {
  const mixed = serviceModel([bucket({ ended: 100, ranS: 0.1 }), bucket({ ended: 100, ranS: 0.1, waitedS: 0.4 })])
  expect(mixed?.time).toMatchObject({ meanMs: expect.closeTo(100, 6) })
  const shape = mixed?.time.kind === 'histogram' ? mixed.time.counts : []
  expect(shape[DURATION_BOUNDS_S.findIndex((bound) => bound >= 0.5)]).toBe(0)
  expect(serviceModel([bucket({ ended: 100, ranS: 0.1, waitedS: 0.4 })])?.time).toMatchObject({
    meanMs: expect.closeTo(100, 6),
  })
})

test('of too little work there is no model', () => {
  expect(serviceModel([])).toBeNull()
  expect(serviceModel([bucket({ ended: 10, ranS: 0.1 })])).toBeNull()
  expect(mostActive([])).toBeNull()
})
