import type { Finding, Forecast, Prediction, Traffic } from '@weir/api'
import { BUILT_IN_POLICY, type EffectivePolicy } from '@weir/policy/model'
import { simulate } from '../engine/simulate.ts'
import { within } from './budget.ts'
import { caveats } from './caveats.ts'
import { compare } from './words.ts'

export interface Question {
  readonly traffic: Traffic
  readonly draft: EffectivePolicy
  /** What the draft is compared with; `null`: nothing was published, so every gate only observes. */
  readonly live: EffectivePolicy | null
  readonly seed?: number
  /** Bound of the work that is played under each of the two. */
  readonly maxArrivals: number
}

export type Answer = Pick<Forecast, 'findings' | 'caveats'> & {
  readonly draft: Prediction
  readonly live: Prediction
}

const NOTHING: EffectivePolicy = { policy: BUILT_IN_POLICY, quotas: {} }

/** Plays the same traffic under both policies and says the difference. Same chance on both sides, so that only the policies differ. */
export const forecast = async ({ traffic, draft, live, seed = 1, maxArrivals }: Question): Promise<Answer> => {
  const part = within(traffic, maxArrivals)
  const play = (effective: EffectivePolicy) =>
    simulate({ traffic: part.traffic, effective, seed, instances: part.instances })
  const before = await play(live ?? NOTHING)
  const after = await play(draft)
  const findings: Finding[] = compare(before, after)
  return { findings, caveats: caveats({ traffic, part, draft, live, before, after }), draft: after, live: before }
}
