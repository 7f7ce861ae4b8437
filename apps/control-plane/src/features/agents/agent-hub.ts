import type { LeaseGranted } from '@weir/policy/model'
import { type Ask, CLOSE, encode } from '@weir/wire'
import { Feedback } from '../feedback/feedback.ts'
import type { TextSocket } from '../live/socket-port.ts'
import { AGENT_BOUNDS, type AgentBounds, drainOf } from './agent-bounds.ts'
import { refKey, type ServiceRef } from './agent-record.ts'
import { type AgentKeyIdentity, AgentSession, Phases, type SessionEvents } from './agent-session.ts'
import { HelloRates } from './hello-rates.ts'
import type { AgentConnection, HubPorts, Misbehaviours, Polled } from './hub-ports.ts'
import { NO_OTHERS } from './others.ts'
import { Room } from './room.ts'
import type { RoomFleet } from './room-fleet.ts'
import { isThere, type Listening, type Member } from './roster.ts'
import { WriteBuffer } from './write-buffer.ts'

/** Every agent of this replica. `beat` drives all timing, about five times a second; nothing here has a timer of its own. */
export class AgentHub {
  readonly feedback: Feedback
  readonly misbehaviours: Misbehaviours = { malformed: 0, 'too-big': 0, flood: 0, unexpected: 0, 'no-hello': 0 }
  private readonly rooms = new Map<string, Room>()
  private readonly loading = new Map<string, Promise<Room | null>>()
  private readonly refreshing = new Map<string, { again: boolean }>()
  private readonly sessions = new Map<AgentSession, Room>()
  private readonly revoked = new Set<string>()
  private readonly hellos: HelloRates
  private readonly buffer: WriteBuffer
  private readonly listening: Listening
  private readonly bounds: AgentBounds
  private pings = 0
  private readonly phases = new Phases()
  private draining = false

  constructor(
    private readonly ports: HubPorts,
    bounds: Partial<AgentBounds> = {},
  ) {
    this.bounds = { ...AGENT_BOUNDS, ...bounds }
    this.hellos = new HelloRates(this.bounds)
    this.feedback = new Feedback(ports.feedback)
    const { clock, others } = ports
    this.listening = {
      sinceMs: clock.wallMs(),
      wallMs: () => clock.wallMs(),
      get hearsAll() {
        return others.isFresh
      },
    }
    this.buffer = new WriteBuffer(ports.store, this.bounds, (error) => ports.onError(error, 'agents: write'))
  }

  get connected(): number {
    return this.sessions.size
  }

  /** Whether agents may be with other replicas. */
  get hasOthers(): boolean {
    return this.ports.others !== NO_OTHERS
  }

  get isFull(): boolean {
    return this.draining || this.sessions.size >= this.bounds.sockets
  }

  roomAt(ref: ServiceRef): Room | null {
    return this.rooms.get(refKey(ref)) ?? null
  }

  /** The room of a service, read from the store when it is not there yet. `null`: there is no such service. */
  async room(ref: ServiceRef): Promise<Room | null> {
    const key = refKey(ref)
    const there = this.rooms.get(key)
    if (there !== undefined) return there
    const loading = this.loading.get(key) ?? this.load(key, ref)
    this.loading.set(key, loading)
    return loading
  }

  /** Takes over a socket whose key was found good. `room` is what `room(key)` gave in the same turn of the event loop. */
  connect(socket: TextSocket, key: AgentKeyIdentity, room: Room): AgentConnection {
    const nowMs = this.ports.clock.monotonicMs()
    const session = new AgentSession(key, socket, this.events, this.bounds, nowMs, this.phases.next())
    this.sessions.set(session, room)
    room.enter(session)
    if (this.draining) session.end(CLOSE.shutdown, 'The control plane is restarting.')
    if (this.revoked.has(key.keyId)) session.end(CLOSE.keyRevoked, 'The key was revoked.')
    return {
      message: (text) => session.receive(text, this.ports.clock.monotonicMs()),
      broken: (how) => session.broken(how),
      closed: () => session.closed(),
    }
  }

  /** Reads a service's policy anew and pushes it where it is newer. Hints may come late, twice or together. */
  async refresh(serviceId: string): Promise<void> {
    const running = this.refreshing.get(serviceId)
    if (running !== undefined) {
      running.again = true
      return
    }
    const turn = { again: true }
    this.refreshing.set(serviceId, turn)
    try {
      while (turn.again) {
        turn.again = false
        // First: agents that hear of it ask at once.
        await this.ports.leases.published(serviceId)
        await Promise.all(this.loading.values())
        const room = [...this.rooms.values()].find((one) => one.serviceId === serviceId)
        if (room === undefined) return
        const policy = await this.ports.policy(serviceId)
        if (policy !== null) room.publish(policy)
      }
    } catch (error) {
      this.ports.onError(error, 'agents: policy')
    } finally {
      this.refreshing.delete(serviceId)
    }
  }

  get fleets(): RoomFleet[] {
    return Array.from(this.rooms.values(), ({ fleet }) => fleet)
  }

  /** Keys that sockets came with. */
  get keyIds(): string[] {
    return [...new Set(Array.from(this.sessions.keys(), ({ key }) => key.keyId))]
  }

  /** Closes every socket that came with the key, now. Its agents keep their places until presumed dead. */
  keyRevoked(keyId: string): void {
    this.hellos.forget(keyId)
    this.revoked.add(keyId)
    for (const oldest of this.revoked) if (this.revoked.size > this.bounds.revokedKeys) this.revoked.delete(oldest)
    for (const session of [...this.sessions.keys()])
      if (session.key.keyId === keyId) session.end(CLOSE.keyRevoked, 'The key was revoked.')
  }

  /** A poll: the policy of the key's service and this instance's share, and the word that it is alive. */
  async polled(key: AgentKeyIdentity, instance: string | null, host: string): Promise<Polled> {
    const room = await this.room(key)
    if (room === null) return { policy: null, split: null, scales: null }
    const member = instance === null ? null : room.poller(instance, key.keyId, host)
    const split = member === null ? null : room.roster.splitOf(member.record.instance)
    return { policy: room.policy, split, scales: room.fleet.scales }
  }

  /** A poller asks for leases. `null`: it is not counted, or the book cannot be read. */
  async asked(
    key: AgentKeyIdentity,
    instance: string,
    host: string,
    ask: Ask,
  ): Promise<readonly LeaseGranted[] | null> {
    const room = await this.room(key)
    const member = room?.poller(instance, key.keyId, host) ?? null
    return room === null || member === null ? null : room.leases.polled(member, ask)
  }

  beat(): void {
    const nowMs = this.ports.clock.monotonicMs()
    const ping = Buffer.from(encode({ type: 'ping', n: this.pings++ }))
    for (const session of [...this.sessions.keys()]) session.beat(nowMs, ping)
    this.feedback.beat(this.fleets, nowMs)
    for (const [key, room] of this.rooms) {
      room.beat(nowMs)
      if (room.isEmpty) this.rooms.delete(key)
    }
  }

  /** About once a second: writes what changed, presence of a few agents in turn, and tells who looks. */
  async flush(): Promise<void> {
    const { others, onError } = this.ports
    await others.look(this.rooms.values()).catch((error: unknown) => onError(error, 'agents: read'))
    const nowMs = this.ports.clock.wallMs()
    for (const room of this.rooms.values()) {
      this.tell(room)
      for (const member of room.roster.values()) {
        if (member.record.lastHeardAtMs - member.writtenAtMs < this.bounds.presenceWriteMs) continue
        member.writtenAtMs = nowMs
        this.buffer.heard(member)
      }
    }
    this.hellos.tidy(this.ports.clock.monotonicMs())
    await this.buffer.flush()
  }

  /** Writes what waits, so that what was heard can be read. */
  settle(): Promise<void> {
    return this.buffer.flush()
  }

  /** A planned end: tells everybody when to come back, closes with 1001, writes what is known. */
  async drain(): Promise<void> {
    this.draining = true
    const frame = Buffer.from(encode(drainOf(this.bounds, this.sessions.size)))
    for (const session of [...this.sessions.keys()]) {
      session.sendFrame(frame)
      session.end(CLOSE.shutdown, 'The control plane is restarting.')
    }
    await this.buffer.flush()
  }

  private tell(room: Room): void {
    const { environment, service } = room.ref
    const watched = this.ports.live.watched(environment, service)
    const changed = room.takeChanged(watched ? this.bounds.liveRows : 0)
    if (changed.length > 0)
      this.ports.live.agents(
        environment,
        service,
        changed.map((member) => room.row(member.record, isThere(member))),
      )
  }

  private async load(key: string, ref: ServiceRef): Promise<Room | null> {
    try {
      const stored = await this.ports.store.room(ref)
      if (stored === null) return null
      const { environment, service } = ref
      const policy = await this.ports.policy(stored.serviceId)
      const { databaseId, clock, leases, onError } = this.ports
      const about = { ...stored, policy }
      const leasing = {
        leases,
        store: () => this.buffer.flush(),
        monotonicMs: () => clock.monotonicMs(),
        onError: (error: unknown) => onError(error, 'agents: leases'),
      }
      const names = { environment, service }
      const room = new Room(names, about, databaseId, this.listening, this.roomEvents, this.bounds, leasing)
      this.rooms.set(key, room)
      return room
    } finally {
      this.loading.delete(key)
    }
  }

  private readonly events: SessionEvents = {
    heard: (session) => {
      if (session.member !== null) this.sessions.get(session)?.heard(session.member)
    },
    hello: (session, hello) => {
      if (!this.hellos.take(session.key.keyId, this.ports.clock.monotonicMs()))
        session.end(CLOSE.tooMany, 'Too many hellos of this key.')
      else if (this.sessions.get(session)?.hello(session, hello) === false)
        session.end(CLOSE.tooMany, 'Too many instances of this key.')
    },
    receipt: (session, receipt) => {
      if (session.member !== null) this.sessions.get(session)?.receipt(session.member, receipt)
    },
    report: (session, report) => {
      if (session.member !== null) this.sessions.get(session)?.report(session.member, report)
    },
    resync: (session) => session.resync(this.sessions.get(session)?.policy ?? null),
    ask: (session, ask) => this.sessions.get(session)?.leases.ask(session, ask),
    obeyed: (session, obeyed) => this.sessions.get(session)?.leases.obeyed(session, obeyed),
    bye: (session) => {
      if (session.member !== null) this.sessions.get(session)?.bye(session.member)
      session.end(1000, 'Bye.')
    },
    misbehaved: (session, how) => {
      this.misbehaviours[how] += 1
      this.ports.misbehaved(session.key, how, session.member?.record.instance ?? null)
    },
    gone: (session) => {
      this.sessions.get(session)?.left(session)
      this.sessions.delete(session)
    },
  }

  private readonly roomEvents = {
    changed: (member: Member) => this.buffer.agent(member),
    receipt: (receipt: Parameters<WriteBuffer['receipt']>[0]) => this.buffer.receipt(receipt),
    databaseChanged: (member: Member, from: string) =>
      this.ports.databaseChanged(member.record, member.record.instance, from),
  }
}
