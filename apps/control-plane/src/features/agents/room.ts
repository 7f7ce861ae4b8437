import type { Agent } from '@weir/api'
import type { PolicyIdentity } from '@weir/policy/model'
import { CLOSE, type Hello, type Receipt, type Report } from '@weir/wire'
import type { AgentBounds } from './agent-bounds.ts'
import {
  type AgentRecord,
  type LastReceipt,
  type ReceiptRecord,
  type ServiceRef,
  said,
  unknownProcess,
} from './agent-record.ts'
import { agentRow } from './agent-row.ts'
import type { AgentSession } from './agent-session.ts'
import type { StoredRoom } from './agents-port.ts'
import { Pacing } from './pacing.ts'
import { type PushedPolicy, withDelta } from './pushed-policy.ts'
import { RoomFleet } from './room-fleet.ts'
import { type Leasing, RoomLeases } from './room-leases.ts'
import { type Listening, type Member, Roster } from './roster.ts'
import { Teller } from './teller.ts'

/** What a room tells the hub. */
export interface RoomEvents {
  /** The store should know soon. */
  changed(member: Member): void
  receipt(receipt: ReceiptRecord): void
  /** An agent came over from another database: a restore, a move. */
  databaseChanged(member: Member, from: string): void
}

/** One service's agents: who they are, what each was told, what each answered. Everything in it is synchronous. */
export class Room {
  readonly serviceId: string
  readonly roster: Roster
  /** Those that have not said hello yet have no member. */
  private readonly sessions = new Set<AgentSession>()
  /** Accepted sockets by key. */
  private readonly connected = new Map<string, number>()
  /** Whose row on the screens changed since they were told. */
  private readonly changed = new Set<Member>()
  private readonly foreign = new Set<string>()
  private pushed: PushedPolicy | null
  private readonly pacing: Pacing
  readonly fleet: RoomFleet
  readonly leases: RoomLeases
  private readonly teller: Teller
  private leasesSentMs = Number.NEGATIVE_INFINITY

  constructor(
    readonly ref: ServiceRef,
    stored: StoredRoom & { readonly policy: PushedPolicy | null },
    private readonly databaseId: string,
    private readonly listening: Listening,
    private readonly events: RoomEvents,
    private readonly bounds: AgentBounds,
    leasing: Leasing,
  ) {
    this.serviceId = stored.serviceId
    this.roster = new Roster(stored.members, listening, bounds)
    this.pushed = stored.policy
    this.pacing = new Pacing(bounds)
    this.pacing.look(this.roster.size)
    this.fleet = new RoomFleet(stored.serviceId, ref, this.roster, this.pacing, () => this.pushed)
    this.teller = new Teller({ ref, databaseId, bounds, roster: this.roster, pacing: this.pacing, fleet: this.fleet })
    this.leases = new RoomLeases({ ...ref, serviceId: stored.serviceId }, leasing)
  }

  get policy(): PushedPolicy | null {
    return this.pushed
  }

  get intended(): PolicyIdentity | null {
    return this.pushed?.identity ?? null
  }

  get isEmpty(): boolean {
    return this.roster.size === 0 && this.sessions.size === 0
  }

  /** A socket that has not said hello yet: while there is one, the room stays. */
  enter(session: AgentSession): void {
    this.sessions.add(session)
  }

  /** False: this key has no room for another instance. */
  hello(session: AgentSession, hello: Hello): boolean {
    const known = this.roster.get(hello.instance)
    if (known === undefined) {
      const most = this.bounds.instancesPerKey * this.bounds.membersPerInstance
      if (this.roster.countOf(session.key.keyId) >= most) return false
    }
    if (known?.session == null && this.connectedBy(session.key.keyId) >= this.bounds.instancesPerKey) return false
    const sameBoot = known?.record.boot === hello.boot
    const member = known === undefined ? this.join(session, hello) : this.return(known, session, hello)
    session.member = member
    session.policy = hello.applied
    this.connected.set(session.key.keyId, this.connectedBy(session.key.keyId) + 1)
    this.pacing.look(this.roster.size)
    session.together(() => this.teller.greet(session, member, this.pushed, sameBoot))
    this.tellStore(member)
    const from = hello.applied?.databaseId
    if (from !== undefined && from !== this.databaseId) this.cameFrom(member, from)
    return true
  }

  heard(member: Member): void {
    member.record.lastHeardAtMs = this.listening.wallMs()
    this.changed.add(member)
  }

  receipt(member: Member, receipt: Receipt): void {
    const { databaseId, revision, hash, status, refused } = receipt
    const last: LastReceipt = { databaseId, revision, hash, status, refused }
    if (JSON.stringify(last) === JSON.stringify(member.record.receipt)) return
    member.record.receipt = last
    if (status !== 'refused') member.record.applied = { databaseId, revision, hash }
    this.events.receipt({
      ...this.ref,
      instance: member.record.instance,
      boot: member.record.boot,
      ...last,
      atMs: this.listening.wallMs(),
    })
    this.tellStore(member)
  }

  report(member: Member, report: Report): void {
    if (report.sequence <= member.sequence) return
    member.sequence = report.sequence
    if (member.record.source !== report.source || member.record.uncounted !== report.uncounted) this.tellStore(member)
    member.record.source = report.source
    member.record.gates = report.gates
    member.record.dependencies = report.dependencies
    member.record.consumers = report.consumers
    member.scales = report.scales
    member.record.uncounted = report.uncounted
  }

  /** An agent without a socket, which counts because it was heard. `null`: an instance that is not known and has no room. */
  poller(instance: string, keyId: string, host: string): Member | null {
    const known = this.roster.get(instance)
    if (known === undefined && this.roster.countOf(keyId) >= this.bounds.instancesPerKey) return null
    const member =
      known ?? this.roster.add({ ...this.ref, ...unknownProcess(instance, keyId, host, this.listening.wallMs()) })
    if (member.session === null) member.record.source = 'poll'
    this.heard(member)
    if (known === undefined) this.tellStore(member)
    return member
  }

  /** Its share goes to the others now. */
  bye(member: Member): void {
    this.leases.release(member)
    member.record.endedAtMs = this.listening.wallMs()
    this.roster.remove(member)
    this.tellStore(member)
  }

  left(session: AgentSession): void {
    this.sessions.delete(session)
    const { member } = session
    if (member === null) return
    const rest = this.connectedBy(session.key.keyId) - 1
    if (rest > 0) this.connected.set(session.key.keyId, rest)
    else this.connected.delete(session.key.keyId)
    if (member.session !== session) return
    member.session = null
    this.tellStore(member)
  }

  /** One text for all; a slow socket gets the newest when it has caught up. A lower revision of the same database is never pushed. */
  publish(policy: PushedPolicy): void {
    const now = this.pushed?.identity
    if (now?.databaseId === policy.identity.databaseId && now.revision >= policy.identity.revision) return
    this.pushed = withDelta(this.pushed, policy)
    for (const session of this.sessions) this.teller.offer(session, this.pushed)
    for (const member of this.roster.values()) this.changed.add(member)
  }

  beat(nowMs: number): void {
    for (const member of this.roster.sweep()) {
      member.record.endedAtMs = this.listening.wallMs()
      this.tellStore(member)
    }
    this.pacing.look(this.roster.size)
    const gatherMs = (this.sessions.size * 1000) / this.bounds.leasesPerSecond
    if (this.roster.needsSettling && nowMs - this.leasesSentMs >= gatherMs) {
      this.roster.settle()
      this.leasesSentMs = nowMs
    }
    const settled = !this.roster.needsSettling
    for (const session of this.sessions) {
      if (session.member === null || session.isSlow) continue
      if (session.stale && this.pushed !== null) this.teller.offer(session, this.pushed)
      if (settled) this.teller.split(session)
      if (session.sparse !== this.pacing.sparse) this.teller.settings(session)
    }
  }

  /** Up to `most` of those whose row changed, longest waiting first; 0 forgets them all, nobody looks. */
  takeChanged(most: number): Member[] {
    const taken = [...this.changed].slice(0, most)
    if (most === 0) this.changed.clear()
    for (const member of taken) this.changed.delete(member)
    return taken
  }

  row(record: AgentRecord, connected: boolean): Agent {
    return agentRow(record, {
      connected,
      intended: this.intended,
      databaseId: this.databaseId,
      nowMs: this.listening.wallMs(),
      timing: this.bounds,
    })
  }

  private connectedBy(keyId: string): number {
    return this.connected.get(keyId) ?? 0
  }

  private cameFrom(member: Member, databaseId: string): void {
    if (this.foreign.has(databaseId) || this.foreign.size >= this.bounds.foreignDatabases) return
    this.foreign.add(databaseId)
    this.events.databaseChanged(member, databaseId)
  }

  tellStore(member: Member): void {
    this.tellScreens(member)
    this.events.changed(member)
  }

  tellScreens(member: Member): void {
    this.changed.add(member)
  }

  private join(session: AgentSession, hello: Hello): Member {
    const nowMs = this.listening.wallMs()
    const member = this.roster.add({
      ...this.ref,
      ...said(hello),
      keyId: session.key.keyId,
      receipt: null,
      gates: [],
      dependencies: [],
      consumers: [],
      uncounted: false,
      startedAtMs: nowMs,
      lastHeardAtMs: nowMs,
      endedAtMs: null,
    })
    member.session = session
    return member
  }

  private return(member: Member, session: AgentSession, hello: Hello): Member {
    const former = member.session
    member.session = session
    former?.end(CLOSE.replaced, 'The same instance connected again.')
    if (member.record.keyId !== session.key.keyId) this.roster.rekey(member, session.key.keyId)
    if (member.record.boot !== hello.boot) {
      member.record.startedAtMs = this.listening.wallMs()
      member.record.receipt = null
      member.record.gates = []
      member.record.dependencies = []
      member.record.consumers = []
      member.record.uncounted = false
      member.sequence = -1
    }
    Object.assign(member.record, said(hello))
    this.heard(member)
    return member
  }
}
