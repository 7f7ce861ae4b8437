import { type GateTraffic, trafficSchema } from '@weir/api'
import { readPolicy } from '@weir/policy'
import { expect, test } from 'vitest'
import { simulate } from '../../../../simulator/src/engine/simulate.ts'
import { live, MemoryOutcomes, START_MS } from './recorded.testkit.ts'
import { RecordedTraffic } from './recorded-traffic.ts'

const effective = (document: string) => {
  const read = readPolicy(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { policy: read.policy, quotas: {} }
}

const LIVE = 'gates: { checkout: { concurrency: 60, queue: { maxWaitMs: 300 } } }'
const CALM_AND_BUSY = Array.from({ length: 6 }, (_, i) => ({ ms: 40_000, perSecond: i % 2 === 0 ? 60 : 320 }))

const truth = (service: object) =>
  trafficSchema.parse({
    version: 1,
    gates: {
      checkout: {
        service,
        load: {
          stretches: CALM_AND_BUSY,
          classes: { critical: 0.25, 'sheddable-plus': 0.25, sheddable: 0.5 },
          tenants: { acme: 5, zeta: 2, ...Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`t${i}`, 0.05])) },
        },
      },
    },
  })

const SERVICES = {
  'whose time does not depend on how much runs': { time: { kind: 'lognormal', medianMs: 60, p99Ms: 300 } },
  'that shares twenty places': { time: { kind: 'lognormal', medianMs: 60, p99Ms: 300 }, concurrency: 20 },
}
const DRAFTS = {
  'a lower limit': 'gates: { checkout: { concurrency: 12, queue: { maxWaitMs: 100 } } }',
  reserves:
    'gates: { checkout: { concurrency: 14, queue: { maxWaitMs: 200 }, classes: { reserves: { critical: 0.4 } } } }',
  'a higher limit': 'gates: { checkout: { concurrency: 120, queue: { maxWaitMs: 300 } } }',
  'a quota for everybody': `${LIVE}\ntenants: { default: { rate: 40, burst: 20 } }`,
}

test.each(Object.entries(SERVICES))(
  'traffic that was recorded under one policy foretells another, before a service %s',
  async (_, service) => {
    const real = truth(service)
    const windows = await live(real.gates.checkout as GateTraffic, effective(LIVE), 5)
    const nowMs = START_MS + 240_000
    const recorded = trafficSchema.parse(
      await new RecordedTraffic(new MemoryOutcomes(windows), () => nowMs).read(
        { environment: 'prod', service: 'orders' },
        3_600,
      ),
    )
    for (const [name, document] of Object.entries(DRAFTS)) {
      const said = (await simulate({ traffic: recorded, effective: effective(document) })).gates.checkout!
      const is = (await simulate({ traffic: real, effective: effective(document), seed: 9 })).gates.checkout!
      const share = (fate: { accepted: number; offered: number } | undefined) =>
        fate ? fate.accepted / fate.offered : 1
      const pairs = [[said, is], ...Object.keys(is.classes).map((klass) => [said.classes[klass], is.classes[klass]])]
      for (const tenant of ['acme', 'zeta']) pairs.push([said.tenants[tenant], is.tenants[tenant]])
      for (const [predicted, measured] of pairs) {
        const points = 100 * Math.abs(share(predicted) - share(measured))
        expect(points, `${name}: ${share(predicted)}, ${share(measured)}`).toBeLessThan(5)
      }
      const [p99, truth99] = [said.latencyMs?.p99 ?? 0, is.latencyMs?.p99 ?? 0]
      expect(Math.abs(p99 / truth99 - 1), `${name}: p99 ${p99}, ${truth99}`).toBeLessThan(0.25)
    }
  },
  // Minutes of virtual time are seconds where others use the machine too.
  120_000,
)
