import type { PolicyDocument } from '@weir/policy'
import { Plane } from '../fleet/plane.ts'
import { measureCapacity, ORDERS, policiesOf, sizeOf, slotsOf } from '../fleet/shop.ts'
import { endedPerSecond, samplesOf } from '../measure.ts'
import type { Deed, Run, Side, Span } from '../run.ts'
import { rampOf, rampWithout } from './ramp.ts'
import type { Scenario, Stage, Terms } from './scenario.ts'
import { dayInShop, shopTerms } from './shop.ts'

/** The ramp with agents that a real control plane tells what to do, and deeds done to that. */
const told = async (
  side: Side,
  terms: Terms,
  stage: Stage,
  deeds: (plane: Plane, hold: readonly [number, number]) => readonly Deed[],
): Promise<Run> => {
  if (side === 'without') return rampWithout(terms, stage)
  const { shape, spans } = rampOf(terms.capacity, stage)
  const plane = await Plane.start(stage.folder)
  try {
    return await dayInShop(side, stage, {
      spans,
      streams: [{ shape, kinds: ORDERS }],
      opening: { weirOf: plane.weirOf },
      ready: (members) => plane.allApplied(members),
      deeds: () => deeds(plane, spans.hold),
    })
  } finally {
    await plane.process.stop()
  }
}

const prepare = async (stage: Stage): Promise<Terms> => shopTerms(await measureCapacity(stage), stage)

export const controlPlaneKilled: Scenario = {
  name: 'control-plane-killed',
  title: 'The control plane is killed at the peak',
  about:
    'The ramp, with agents that have their policies from a real control plane. It is killed two seconds into the peak, with its sockets, and started again after it. Without Weir there is none: the ramp stands beside it.',
  quick: false,
  prepare: async (stage) => ({
    ...(await prepare(stage)),
    more: (run) => {
      const [from, to] = run.spans.hold
      const good = (span: readonly [number, number]) => endedPerSecond(run, span, { outcomes: ['ok'] })
      return { before_kill: good([from, from + 2_000]), after_kill: good([from + 2_000, to]) }
    },
  }),
  play: (side, terms, stage) =>
    told(side, terms, stage, (plane, [from, to]) => [
      { atMs: from + 2_000, what: 'the control plane is killed', act: () => plane.process.kill() },
      { atMs: to + 1_000, what: 'it is started again', act: () => plane.process.start() },
    ]),
}

/** Milliseconds from a publication until the limit is in force, to a quarter of a second. */
const appliedMs = (run: Run, fromMs: number, limit: number): number => {
  const seen = samplesOf(run, 'front').find(
    ({ atMs, gates }) => atMs >= fromMs && gates.some((gate) => gate.name === 'checkout' && gate.limit === limit),
  )
  return (seen?.atMs ?? Number.NaN) - fromMs
}

const TIGHTER = 3
/** When in the hold, as shares of it. */
const TIGHTENED = 0.25
const LOOSENED = 0.625
const momentsOf = ([from, to]: Span): Span => [from + TIGHTENED * (to - from), from + LOOSENED * (to - from)]

const withLimit = (policy: PolicyDocument, concurrency: number): PolicyDocument => {
  const { gates } = policy
  return { ...policy, gates: { ...gates, checkout: { ...gates?.checkout, concurrency } } }
}

export const policyChanged: Scenario = {
  name: 'policy-changed',
  title: 'The policy is tightened and loosened at the peak',
  about: `The ramp; after a quarter of the peak a limit of ${TIGHTER} is published, and after three eighths more the old one again. Shares are of what the connections that may be used can do.`,
  quick: false,
  prepare: async (stage) => {
    const slots = slotsOf(sizeOf(stage))
    const terms = await prepare(stage)
    return {
      ...terms,
      left: 1 - (LOOSENED - TIGHTENED) * (1 - TIGHTER / sizeOf(stage).connections),
      notAsked: { 'steady-limit': 'it is moved by hand' },
      more: (run): Record<string, number> => {
        if (run.side === 'without') return {}
        const [tightened, loosened] = momentsOf(run.spans.hold)
        return {
          tightened_ms: appliedMs(run, tightened, TIGHTER),
          loosened_ms: appliedMs(run, loosened, slots),
          goodput_tight: endedPerSecond(run, [tightened + 1_000, loosened], {
            kinds: terms.judged,
            outcomes: ['ok'],
          }),
        }
      },
    }
  },
  play: (side, terms, stage) =>
    told(side, terms, stage, (plane, held) => {
      const [tightened, loosened] = momentsOf(held)
      const { front } = policiesOf(sizeOf(stage))
      const publish = (concurrency: number) => () => plane.publish('front', withLimit(front, concurrency))
      return [
        { atMs: tightened, what: `a limit of ${TIGHTER} is published`, act: publish(TIGHTER) },
        { atMs: loosened, what: 'the old limit is published', act: publish(slotsOf(sizeOf(stage))) },
      ]
    }),
}
