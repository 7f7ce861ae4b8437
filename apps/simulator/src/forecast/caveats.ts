import type { Prediction, Traffic } from '@weir/api'
import type { EffectivePolicy, SignalKind } from '@weir/policy/model'
import type { Part } from './budget.ts'
import { percent, refusedShare } from './words.ts'

export interface Grounds {
  readonly traffic: Traffic
  readonly part: Part
  readonly draft: EffectivePolicy
  readonly live: EffectivePolicy | null
  readonly before: Prediction
  readonly after: Prediction
}

/** A replay of the live policy that is further off than this is said. */
const REPLAY_OFF = 0.05
/** The queue's age is the one capacity signal that virtual time has. */
const PLAYED: SignalKind = 'queueAgeMs'

/** What limits a prediction, in sentences: where the replay of what did happen is off, and what was not played. */
export const caveats = (grounds: Grounds): string[] => [
  ...replayed(grounds),
  ...beyondMeasured(grounds),
  ...parts(grounds),
  ...signals(grounds),
]

/** The replay of the live policy can be held against what was measured: where it is off, so is the rest. */
const replayed = ({ traffic, part, live, before }: Grounds): string[] =>
  live === null || part.stretchSeconds !== null
    ? []
    : Object.entries(traffic.gates).flatMap(([gate, { measured }]) => {
        const played = before.gates[gate]
        if (!measured || !played || !(measured.offered > 0)) return []
        const was = (measured.shed + measured.expired) / measured.offered
        const said = refusedShare(played)
        return Math.abs(was - said) < REPLAY_OFF
          ? []
          : [
              `${gate}: played again, the live policy sheds ${percent(said)}; ${percent(was)} was measured. Another policy may have been in force, or callers gave shorter deadlines: read the rest with care.`,
            ]
      })

/** A service was only seen with so much in progress. How it fares with more is not known. */
const beyondMeasured = ({ traffic, draft }: Grounds): string[] =>
  Object.entries(traffic.gates).flatMap(([gate, { service, measured }]) => {
    const most = measured?.mostActive ?? null
    const ceiling = draft.policy.gates[gate]?.concurrency.ceiling
    if (most === null || ceiling === undefined || service.concurrency !== null || ceiling <= most * 1.1) return []
    return [
      `${gate} was never seen with more than ${Math.ceil(most)} pieces of work in progress in a process: that more of them would be just as fast is assumed.`,
    ]
  })

const parts = ({ traffic, part, after }: Grounds): string[] => [
  ...(part.stretchSeconds === null
    ? []
    : [`Only the busiest ${span(part.stretchSeconds)} were played: the whole is more than fits.`]),
  ...(after.instances.simulated === after.instances.of
    ? []
    : [`${after.instances.simulated} of ${traffic.instances} processes were played, with their part of the work.`]),
]

const signals = ({ draft }: Grounds): string[] => {
  const unplayed = Object.entries(draft.policy.gates)
    .filter(([, { signals: thresholds }]) => Object.keys(thresholds).some((kind) => kind !== PLAYED))
    .map(([gate]) => gate)
  return unplayed.length === 0
    ? []
    : [
        `Capacity signals of the machine (${unplayed.join(', ')}) were not played: they may shed more than is said here.`,
      ]
}

const span = (seconds: number): string =>
  seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds)} seconds`
