import { hold, ramp } from '@weir/testkit'
import type { BackendSettings } from '../fleet/backend.ts'
import type { LayerSettings } from '../fleet/layer.ts'
import { Member } from '../fleet/member.ts'
import { byFile } from '../fleet/shop.ts'
import type { Kind } from '../load/plan.ts'
import { arrivedPerSecond, count, grew } from '../measure.ts'
import { play, type Run, type Side, type Span } from '../run.ts'
import { type Scenario, type Stage, secondsOf, type Terms } from './scenario.ts'

const PATIENCE_MS = 1_000
const LAYERS = 3
/** Requests a second. Without Weir it is a twelfth: 27 attempts for each of 500 would melt the layers themselves, and flatter the comparison. */
const RATE: Readonly<Record<Side, number>> = { with: 500, without: 40 }
/** Of the bottom's answers, at the end. */
const PASSING = 0.05

const ASK: Kind = { name: 'request', share: 1, method: 'GET', path: '/', headers: {} }

const timesOf = ({ quick }: Stage): { calm: Span; hold: Span; after: Span; passing: Span } =>
  quick
    ? { calm: [1_000, 2_000], hold: [2_000, 5_000], after: [5_000, 7_500], passing: [7_500, 10_500] }
    : { calm: [2_000, 4_000], hold: [4_000, 12_000], after: [12_000, 16_000], passing: [16_000, 24_000] }

/** Attempts that reach the bottom for each request. */
const attempts = (run: Run): number =>
  grew(run, 'bottom', ({ begun }) => begun, run.spans.hold) /
  (arrivedPerSecond(run, run.spans.hold) * secondsOf(run.spans.hold))

/** Of what failed in passing at the bottom, what reached its caller well all the same. */
const recovered = (run: Run, passing: Span): number => {
  const asked = count(run, { arrived: passing })
  const well = count(run, { arrived: passing, outcomes: ['ok'] })
  return 1 - (asked - well) / (PASSING * asked)
}

const policy = {
  dependencies: { next: { internal: true, ceiling: 1_000, breaker: { mode: 'forced-closed' as const } } },
}

/** Four services in a row need more than a core: the generator, which has little to do here, shares its own. */
const stacked = async (side: Side, stage: Stage): Promise<Member[]> => {
  const { seed } = stage
  const bottom = await Member.start(
    'backend',
    { name: 'bottom', weir: null, connections: 1_000, workMs: 2, seed } satisfies BackendSettings,
    'all',
  )
  const members = [bottom]
  for (let i = LAYERS; i > 0; i--) {
    const weir = side === 'with' ? await byFile(stage)(`layer-${i}`, policy) : null
    const next = (members.at(-1) as Member).url
    const settings = { name: `layer-${i}`, weir, next } satisfies LayerSettings
    members.push(await Member.start('layer', settings, 'all'))
  }
  return members
}

export const retryStorm: Scenario = {
  name: 'retry-storm',
  title: 'A retry storm through three layers',
  about: `Three services on top of each other try everything three times. The bottom fails for a while without saying why, is well again, and then fails one time in twenty. The breakers are held closed: this is about retries alone. Offered are ${RATE.with} requests a second; without Weir only ${RATE.without}, since 27 attempts for each of ${RATE.with} would melt the layers themselves.`,
  quick: true,
  prepare: async (stage): Promise<Terms> => ({
    capacity: RATE.with,
    judged: [ASK.name],
    scarce: ['bottom'],
    gate: { service: 'layer-1', name: 'in' },
    attempts,
    queueBound: 0,
    notAsked: {
      'in-time': 'nothing can end well while the bottom fails',
      'cheap-refusals': 'nobody refuses: the bottom fails',
      reserves: 'nothing is short, so no class is held back',
      isolation: 'all need the bottom',
      'steady-limit': 'no gate limits here',
    },
    more: (run) => ({ attempts: attempts(run), recovered: recovered(run, timesOf(stage).passing) }),
  }),
  play: async (side, _terms, stage) => {
    const { passing, ...spans } = timesOf(stage)
    const members = await stacked(side, stage)
    const [bottom, top] = [members[0], members.at(-1)] as [Member, Member]
    try {
      const fail = (failing: number) => () => bottom.change({ failing })
      return await play({
        ...stage,
        side,
        patienceMs: PATIENCE_MS,
        spans,
        members,
        streams: [
          {
            shape: [ramp(RATE[side] / 10, RATE[side], spans.calm[0]), hold(RATE[side], passing[1] - spans.calm[0])],
            kinds: [ASK],
            targets: [top.url],
          },
        ],
        deeds: [
          { atMs: spans.hold[0], what: 'the bottom fails', act: fail(1) },
          { atMs: spans.after[0], what: 'it is well again', act: fail(0) },
          { atMs: passing[0], what: 'it fails one time in twenty', act: fail(PASSING) },
        ],
      })
    } finally {
      await Promise.all(members.map((member) => member.stop()))
    }
  },
}
