import type { Forecast, Prediction, Traffic } from '@weir/api'
import type { EffectivePolicy } from '@weir/policy/model'
import type { Result } from '../result.ts'

export interface Question {
  readonly traffic: Traffic
  readonly draft: EffectivePolicy
  /** In force; `null`: nothing yet. */
  readonly live: EffectivePolicy | null
  /** Bound of the work that is played under each of the two. */
  readonly maxArrivals: number
}

export type Answer = Pick<Forecast, 'findings' | 'caveats'> & {
  readonly draft: Prediction
  readonly live: Prediction
}

/** Plays traffic against policies, away from this thread and within bounds of its own. */
export abstract class Forecaster {
  /** `too-many-requests` while another one is being played, `unavailable` where it takes too long. */
  abstract forecast(question: Question): Promise<Result<Answer>>
}
