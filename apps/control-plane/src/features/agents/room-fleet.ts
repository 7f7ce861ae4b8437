import { type ConsumerReport, type Scales, sameScales } from '@weir/wire'
import type { Fleet } from '../feedback/feedback.ts'
import type { ServiceRef } from './agent-record.ts'
import type { Pacing } from './pacing.ts'
import { NO_FEEDBACK, type PushedFeedback } from './pushed-feedback.ts'
import type { PushedPolicy } from './pushed-policy.ts'
import type { Roster } from './roster.ts'

/** A room as the rules of feedback see it, and what they said last. */
export class RoomFleet implements Fleet {
  /** `null`: the rules have not looked yet, the agents keep what they were told. */
  scales: Scales | null = null

  constructor(
    readonly serviceId: string,
    readonly ref: ServiceRef,
    private readonly roster: Roster,
    private readonly pacing: Pacing,
    private readonly pushed: () => PushedPolicy | null,
  ) {}

  get feedback(): PushedFeedback {
    return this.pushed()?.feedback ?? NO_FEEDBACK
  }

  get rules(): PushedFeedback['rules'] {
    return this.feedback.rules
  }

  get reportMs(): number {
    return this.pacing.pace.reportMs
  }

  *consumers(): Iterable<ConsumerReport> {
    for (const { session, record } of this.roster.values()) if (session !== null) yield* record.consumers
  }

  applied(resource: string): number {
    let least = 1
    for (const { scales } of this.roster.values())
      if (Object.hasOwn(scales, resource)) least = Math.min(least, scales[resource] ?? 1)
    return least
  }

  scale(scales: Scales): void {
    if (this.scales === null || !sameScales(scales, this.scales)) this.scales = scales
  }

  /** Whether an agent that was told `told` on this connection, and says that it applies `applied`, is to be told. */
  wantsTelling(told: Scales | null, applied: Scales): boolean {
    return this.scales !== null && told !== this.scales && !sameScales(applied, this.scales)
  }
}
