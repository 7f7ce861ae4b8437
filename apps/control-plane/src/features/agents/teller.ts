import type { AgentBounds } from './agent-bounds.ts'
import type { ServiceRef } from './agent-record.ts'
import type { AgentSession } from './agent-session.ts'
import type { Pacing } from './pacing.ts'
import { type PushedPolicy, wantsSnapshot } from './pushed-policy.ts'
import type { RoomFleet } from './room-fleet.ts'
import type { Member, Roster } from './roster.ts'

interface TellerParts {
  readonly ref: ServiceRef
  readonly databaseId: string
  readonly bounds: AgentBounds
  readonly roster: Roster
  readonly pacing: Pacing
  readonly fleet: RoomFleet
}

/** What the agents of one room are told, each only what it was not told yet. */
export class Teller {
  constructor(private readonly parts: TellerParts) {}

  /** The place in the split goes before the policy: a newcomer must not take whole quotas for its share, not for a moment. */
  greet(session: AgentSession, member: Member, policy: PushedPolicy | null, sameBoot: boolean): void {
    const { ref, databaseId, bounds, pacing } = this.parts
    const { environment, service } = ref
    session.sparse = pacing.sparse
    session.send({
      type: 'welcome',
      databaseId,
      environment,
      service,
      heartbeatMs: bounds.heartbeatMs,
      ...pacing.pace,
    })
    this.split(session)
    if (policy !== null && wantsSnapshot(member.record, policy, sameBoot)) session.push(policy)
  }

  offer(session: AgentSession, policy: PushedPolicy): void {
    const { member } = session
    if (member === null) return
    session.stale = session.isSlow
    if (!session.stale && wantsSnapshot(member.record, policy, true)) session.push(policy)
  }

  split(session: AgentSession): void {
    const { roster, fleet } = this.parts
    const { member, lease } = session
    const split = member === null ? null : roster.splitOf(member.record.instance)
    if (member === null || split === null) return
    const same = lease?.agents === split.agents && lease.rank === split.rank
    if (same && !fleet.wantsTelling(session.scales, member.scales)) return
    const { scales } = fleet
    session.lease = split
    session.scales = scales
    session.send({ type: 'lease', allocator: 'even', ...split, ...(scales === null ? {} : { scales }) })
  }

  settings(session: AgentSession): void {
    const { pacing } = this.parts
    session.sparse = pacing.sparse
    session.send({ type: 'settings', ...pacing.pace })
  }
}
