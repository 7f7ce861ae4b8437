import { describe, expect, it, vi } from 'vitest'
import { ADAPTIVE } from './limit-feed.testkit.ts'
import { meanGoodput, oscillation, simulate } from './limit-rig.testkit.ts'

// Virtual minutes take seconds where others use the machine too.
vi.setConfig({ testTimeout: 60_000 })

const SMALL = { cores: 20, baseMs: 20 }
const LARGE = { cores: 100, baseMs: 50 }

describe.each(ADAPTIVE.map((algorithm) => ({ algorithm })))(
  '$algorithm before a service that slows down when it is full',
  ({ algorithm }) => {
    it.each([
      { load: 2, service: SMALL },
      { load: 10, service: SMALL },
      { load: 2, service: LARGE },
    ])(
      'does not oscillate by more than 10 % at $load times the capacity of $service.cores cores',
      async ({ load, service }) => {
        const seconds = await simulate({ algorithm, service, phases: [{ seconds: 90, load }], seed: 7 })
        const steady = seconds.slice(30)
        expect(oscillation(steady)).toBeLessThanOrEqual(0.1)
        expect(meanGoodput(steady)).toBeGreaterThanOrEqual(0.95)
      },
    )

    it.each([
      { name: 'in which everything met overload', peak: { seconds: 15, load: 10, overloaded: true } },
      { name: 'in which work took ten times as long', peak: { seconds: 15, load: 10, slower: 10 } },
    ])('serves 95 % of the capacity again within 5 s of a peak $name', async ({ peak }) => {
      for (const service of [SMALL, LARGE]) {
        const seconds = await simulate({
          algorithm,
          service,
          phases: [{ seconds: 30, load: 1 }, peak, { seconds: 15, load: 1 }],
          seed: 7,
        })
        if ('overloaded' in peak) expect(Math.min(...seconds.slice(30, 45).map(({ slots }) => slots))).toBe(1)
        const after = seconds.slice(49)
        expect(meanGoodput(after)).toBeGreaterThanOrEqual(0.95)
        expect(meanGoodput(seconds.slice(46, 51))).toBeGreaterThanOrEqual(0.85)
      }
    })

    it('keeps out of the way of a service that is not full', async () => {
      const seconds = await simulate({ algorithm, service: SMALL, phases: [{ seconds: 40, load: 0.7 }], seed: 7 })
      const admitted = seconds.slice(10)
      expect(meanGoodput(admitted)).toBeGreaterThanOrEqual(0.68)
    })
  },
)
