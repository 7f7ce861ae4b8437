import { describe, expect, it, vi } from 'vitest'
import { ADAPTIVE } from './limit-feed.testkit.ts'
import { meanGoodput, oscillation, simulate, simulateWhole } from './limit-rig.testkit.ts'

// Virtual minutes take seconds where others use the machine too.
vi.setConfig({ testTimeout: 60_000 })

const SMALL = { cores: 20, baseMs: 20 }
const CLASSES = ['critical-plus', 'critical', 'sheddable-plus', 'sheddable'] as const
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

    it('holds goodput, reserves and tenants at 10 times the capacity without oscillating', async () => {
      const share = 0.2
      const { seconds, figures, leastLeftMs } = await simulateWhole({
        algorithm,
        service: SMALL,
        phases: [{ seconds: 60, load: 10 }],
        seed: 7,
        policy: {
          queue: { maxWaitMs: 120, maxItems: 2_000 },
          deadline: { defaultMs: 250 },
          classes: {
            reserves: { 'critical-plus': share, critical: share, 'sheddable-plus': share, sheddable: share },
            highest: 'critical-plus',
          },
        },
        work: (random) => ({
          tenant: random() < 0.5 ? 'flood' : `tenant ${Math.floor(random() * 999)}`,
          criticality: CLASSES[Math.floor(random() * 4)] ?? 'critical',
        }),
      })
      const steady = seconds.slice(30)
      expect(oscillation(steady)).toBeLessThanOrEqual(0.1)
      expect(meanGoodput(steady)).toBeGreaterThanOrEqual(0.95)
      expect(leastLeftMs).toBeGreaterThan(0)
      const completed = figures.sum('completed')
      // Reserves are whole slots of a limit that is one.
      const reserved = Math.min(...seconds.map(({ slots }) => Math.floor(share * slots) / slots))
      for (const klass of CLASSES)
        expect(figures.sum('completed', { class: klass }) / completed).toBeGreaterThan(reserved * 0.95)
      expect(reserved).toBeGreaterThan(0.15)
      expect(figures.sum('completed', { tenant: 'flood' }) / completed).toBeLessThan(0.03)
      expect(figures.sum('late') / completed).toBeLessThan(0.01)
    })

    it('keeps out of the way of a service that is not full', async () => {
      const seconds = await simulate({ algorithm, service: SMALL, phases: [{ seconds: 40, load: 0.7 }], seed: 7 })
      const admitted = seconds.slice(10)
      expect(meanGoodput(admitted)).toBeGreaterThanOrEqual(0.68)
    })
  },
)
