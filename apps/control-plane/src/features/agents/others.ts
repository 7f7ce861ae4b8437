import { CLOSE } from '@weir/wire'
import type { AgentSession } from './agent-session.ts'
import type { AgentStore, SeenAgent } from './agents-port.ts'
import type { Room } from './room.ts'
import type { Member } from './roster.ts'

/** Older than this, what was read of other replicas says nothing of who is silent. */
const FRESH_MS = 10_000

/** What other replicas write of the agents of the rooms here: read about once a second, for the split and the screens are of all agents. */
export class Others {
  private since: Date | null = null
  private readMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly store: Pick<AgentStore, 'changes'>,
    private readonly monotonicMs: () => number,
  ) {}

  get isFresh(): boolean {
    return this.monotonicMs() - this.readMs < FRESH_MS
  }

  /** @throws when the store is away; the next look begins where the last good one ended. */
  async look(rooms: Iterable<Room>): Promise<void> {
    const byService = new Map(Array.from(rooms, (room) => [room.serviceId, room]))
    const askedMs = this.monotonicMs()
    const { agents, until } = await this.store.changes([...byService.keys()], this.since)
    for (const seen of agents) {
      const room = byService.get(seen.serviceId)
      if (room !== undefined) take(room, seen)
    }
    this.since = until
    this.readMs = askedMs
  }
}

/** Where there is no other replica. */
export const NO_OTHERS: Pick<Others, 'isFresh' | 'look'> = { isFresh: true, look: async () => {} }

/** Whether another replica has the agent, by what it wrote. */
const isElsewhere = ({ own, connected, record }: SeenAgent): boolean => !own && connected && record.endedAtMs === null

const take = (room: Room, seen: SeenAgent): void => {
  const { record } = seen
  const member = room.roster.get(record.instance)
  if (member === undefined) {
    if (record.endedAtMs !== null) return
    const admitted = room.roster.admit(record)
    admitted.elsewhere = isElsewhere(seen)
    room.tellScreens(admitted)
    return
  }
  room.roster.place(member, record.joinedAtMs)
  if (member.session !== null) correct(room, member, member.session, seen)
  else if (!seen.own) adopt(room, member, seen)
}

/** Its socket is here, and the store knew that before another replica wrote. */
const correct = (room: Room, member: Member, session: AgentSession, seen: SeenAgent): void => {
  if (seen.own || member.stored !== session) return
  if (isElsewhere(seen)) session.end(CLOSE.replaced, 'The same instance connected to another replica.')
  else room.tellStore(member)
}

const adopt = (room: Room, member: Member, seen: SeenAgent): void => {
  const lastHeardAtMs = Math.max(seen.record.lastHeardAtMs, member.record.lastHeardAtMs)
  Object.assign(member.record, seen.record, { lastHeardAtMs })
  member.elsewhere = isElsewhere(seen)
  member.writtenAtMs = lastHeardAtMs
  if (seen.record.endedAtMs !== null) room.roster.remove(member)
  room.tellScreens(member)
}
