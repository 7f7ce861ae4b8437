import type { Feedback } from '@weir/api'
import { done, type Result, refused } from '../result.ts'
import type { AgentHub } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'

/** What REST asks about the rules of feedback of a service. */
export class FeedbackService {
  constructor(private readonly hub: AgentHub) {}

  async of(ref: ServiceRef): Promise<Result<Feedback>> {
    const room = await this.hub.room(ref)
    if (room === null) return refused('not-found', `There is no service ${ref.service} in ${ref.environment}.`)
    const { bound } = room.fleet.feedback
    const items = this.hub.feedback
      .statesOf(room.fleet)
      .map(({ topic, rule, phase, scale, lagSeconds, consumers }) => ({
        topic,
        resource: rule.resource,
        phase,
        scale,
        lagSeconds,
        consumers,
        openSeconds: rule.lagSeconds.open,
        closeSeconds: rule.lagSeconds.close,
        least: rule.least,
        binds: bound.has(rule.resource),
      }))
    return done({ items })
  }
}
