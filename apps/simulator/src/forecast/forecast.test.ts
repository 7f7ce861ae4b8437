import { type TrafficInput, trafficSchema } from '@weir/api'
import { readPolicy } from '@weir/policy'
import { expect, it } from 'vitest'
import { within } from './budget.ts'
import { forecast } from './forecast.ts'

const policy = (document: string) => {
  const read = readPolicy(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { policy: read.policy, quotas: {} }
}
const traffic = (gate: Partial<TrafficInput['gates'][string]>, instances = 1) =>
  trafficSchema.parse({
    version: 1,
    instances,
    gates: { checkout: { service: { time: { kind: 'constant', ms: 100 } }, ...gate } },
  })
const bins = (offered: number[], more = {}) => ({ bins: { stepMs: 10_000, offered, ...more } })

it('more work than fits: fewer processes first, then the busiest stretch, and both are said', async () => {
  const some = within(traffic(bins([300, 300, 300]), 3), 700)
  expect(some).toMatchObject({ instances: 2, stretchSeconds: null })
  const peak = within(traffic(bins([10, 400, 500, 20, 0], { classes: { critical: [1, 2, 3, 4, 5] } })), 900)
  expect(peak).toMatchObject({ instances: 1, stretchSeconds: 20 })
  expect(peak.traffic.gates.checkout?.bins).toMatchObject({ offered: [400, 500], classes: { critical: [2, 3] } })
  expect(within(traffic(bins([5_000, 8_000])), 900).traffic.gates.checkout?.bins?.offered).toEqual([8_000])
  const live = policy('gates: { checkout: {} }')
  const { caveats } = await forecast({ traffic: traffic(bins([10, 400, 500]), 2), draft: live, live, maxArrivals: 460 })
  expect(caveats).toEqual(['1 of 2 processes were played, with their part of the work.'])
  const cut = await forecast({ traffic: traffic(bins([10, 400, 500])), draft: live, live, maxArrivals: 500 })
  expect(cut.caveats).toEqual(['Only the busiest 10 seconds were played: the whole is more than fits.'])
  expect(cut.draft.arrivals).toBe(500)
})

it('without a policy in force nothing is refused, and the draft is compared with that', async () => {
  const { findings, live } = await forecast({
    traffic: traffic(bins([2_000])),
    draft: policy('gates: { checkout: { concurrency: 5, queue: { maxWaitMs: 0 } } }'),
    live: null,
    maxArrivals: 1e6,
  })
  expect(live.gates.checkout).toMatchObject({ offered: 2_000, completed: 2_000 })
  expect(findings[0]).toMatchObject({ tone: 'warning', sentence: expect.stringContaining('sheds none') })
})

it('says where a replay of the live policy is off, where more ran than was ever seen, and which signals were not played', async () => {
  const measured = { offered: 1_000, shed: 300, expired: 0, completed: 700, mostActive: 4 }
  const live = policy('gates: { checkout: { concurrency: 20 } }')
  const draft = policy('gates: { checkout: { concurrency: 50, signals: { cpuShare: { open: 0.9, close: 0.8 } } } }')
  const { caveats } = await forecast({
    traffic: traffic({ ...bins([1_000]), measured }),
    draft,
    live,
    maxArrivals: 1e6,
  })
  expect(caveats).toEqual([
    expect.stringContaining('played again, the live policy sheds 0 %; 30 % was measured'),
    expect.stringContaining('never seen with more than 4 pieces of work'),
    expect.stringContaining('Capacity signals of the machine (checkout) were not played'),
  ])
  const good = { ...measured, shed: 0, mostActive: 60 }
  expect(
    (await forecast({ traffic: traffic({ ...bins([1_000]), measured: good }), draft: live, live, maxArrivals: 1e6 }))
      .caveats,
  ).toEqual([])
})
