import type { EvenSplit } from '@weir/policy/model'
import type { Scales } from '@weir/wire'
import type { AgentBounds } from './agent-bounds.ts'
import type { AgentRecord } from './agent-record.ts'
import type { AgentSession } from './agent-session.ts'
import { isPresumedDead } from './presence.ts'
import { evenSplit } from './split.ts'

/** One instance that counts in the split, connected or not. */
export interface Member {
  readonly record: AgentRecord
  session: AgentSession | null
  /** Another replica has its socket, as far as the database knows. */
  elsewhere: boolean
  /** The session of which the store knows: what another replica wrote since is later. */
  stored: AgentSession | null
  /** Number of the last report of this boot; an older one that comes late is not taken. */
  sequence: number
  /** The shares of its quotas that it says it applies. */
  scales: Scales
  /** Whether the database knows it as a member. */
  known: boolean
  /** When its presence was last handed to the store. */
  writtenAtMs: number
}

/** Times at which a control plane began to listen, and reads its wall clock. */
export interface Listening {
  readonly sinceMs: number
  wallMs(): number
  /** Whether what other replicas hear is known here too; always, where there are none. */
  readonly hearsAll: boolean
}

/** Whether it has a socket, here or with another replica. */
export const isThere = ({ session, elsewhere }: Member): boolean => session !== null || elsewhere

/** Who counts in one service's split, and at which place. */
export class Roster {
  private readonly byInstance = new Map<string, Member>()
  private readonly countByKey = new Map<string, number>()
  private ranks = new Map<string, number>()
  private nextRank = 0
  private lastJoinedMs = 0
  private heldAgents = 0
  private unsettled = true

  constructor(
    loaded: readonly AgentRecord[],
    private readonly listening: Listening,
    private readonly bounds: AgentBounds,
  ) {
    for (const record of loaded) this.insert(record, true)
    this.settle()
    this.hold()
  }

  get size(): number {
    return this.byInstance.size
  }

  get needsSettling(): boolean {
    return this.unsettled
  }

  get(instance: string): Member | undefined {
    return this.byInstance.get(instance)
  }

  values(): IterableIterator<Member> {
    return this.byInstance.values()
  }

  countOf(keyId: string): number {
    return this.countByKey.get(keyId) ?? 0
  }

  /** A newcomer goes to the end: its place is taken at once, the others hear of it with the next `settle`. */
  add(record: Omit<AgentRecord, 'joinedAtMs'>): Member {
    this.lastJoinedMs = Math.max(this.listening.wallMs(), this.lastJoinedMs)
    const member = this.insert({ ...record, joinedAtMs: this.lastJoinedMs }, false)
    this.ranks.set(record.instance, this.nextRank++)
    this.unsettled = true
    return member
  }

  remove(member: Member): void {
    if (!this.byInstance.delete(member.record.instance)) return
    this.count(member.record.keyId, -1)
    this.ranks.delete(member.record.instance)
    this.unsettled = true
  }

  /** The member's key may be another one than before: keys are rotated. */
  rekey(member: Member, keyId: string): void {
    this.count(member.record.keyId, -1)
    member.record.keyId = keyId
    this.count(keyId, 1)
  }

  /** Who joined elsewhere has its place by when that was. */
  admit(record: AgentRecord): Member {
    this.unsettled = true
    return this.insert(record, true)
  }

  /** When it joined, where another replica saw it first. */
  place(member: Member, joinedAtMs: number): void {
    if (member.record.joinedAtMs === joinedAtMs) return
    member.record.joinedAtMs = joinedAtMs
    this.unsettled = true
  }

  /** The place of a member; unique at every moment, dense after `settle`. */
  splitOf(instance: string): EvenSplit | null {
    const rank = this.ranks.get(instance)
    return rank === undefined ? null : { agents: Math.max(this.nextRank, this.heldAgents), rank }
  }

  /** Reckons everybody's place anew. */
  settle(): void {
    this.hold()
    const records = [...this.byInstance.values()].map((member) => member.record)
    this.ranks = new Map([...evenSplit(records)].map(([instance, split]) => [instance, split.rank]))
    this.nextRank = this.byInstance.size
    this.unsettled = false
  }

  /** Takes out who is presumed dead, and ends the hold when its time is over. */
  sweep(): Member[] {
    const nowMs = this.listening.wallMs()
    const dead: Member[] = []
    for (const member of this.byInstance.values())
      if (
        member.session === null &&
        this.listening.hearsAll &&
        isPresumedDead(member.record.lastHeardAtMs, nowMs, this.listening.sinceMs, this.bounds)
      )
        dead.push(member)
    for (const member of dead) this.remove(member)
    if (this.heldAgents > 0 && !this.isHolding()) this.unsettled = true
    return dead
  }

  /** Within `startHoldMs` of a start the divisor is at least the largest that was in force since. */
  private hold(): void {
    this.heldAgents = this.isHolding() ? Math.max(this.heldAgents, this.byInstance.size, this.nextRank) : 0
  }

  private isHolding(): boolean {
    return this.listening.wallMs() - this.listening.sinceMs < this.bounds.startHoldMs
  }

  private insert(record: AgentRecord, known: boolean): Member {
    const member: Member = {
      record,
      session: null,
      elsewhere: false,
      stored: null,
      sequence: -1,
      scales: {},
      known,
      writtenAtMs: record.lastHeardAtMs,
    }
    this.byInstance.set(record.instance, member)
    this.count(record.keyId, 1)
    this.lastJoinedMs = Math.max(this.lastJoinedMs, record.joinedAtMs)
    return member
  }

  private count(keyId: string, by: number): void {
    const count = this.countOf(keyId) + by
    if (count <= 0) this.countByKey.delete(keyId)
    else this.countByKey.set(keyId, count)
  }
}
