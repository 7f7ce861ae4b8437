import type { EvenSplit, PolicyIdentity } from '@weir/policy/model'
import {
  type Ask,
  type Bye,
  CLOSE,
  type ControlMessage,
  decodeAgentMessage,
  encode,
  type Hello,
  type Obeyed,
  type Receipt,
  type Report,
  type Scales,
  WIRE,
} from '@weir/wire'
import { MessageRate } from '../live/message-rate.ts'
import type { Frame, TextSocket } from '../live/socket-port.ts'
import type { AgentBounds } from './agent-bounds.ts'
import { sameIdentity } from './agent-record.ts'
import type { PushedPolicy } from './pushed-policy.ts'
import type { Member } from './roster.ts'

export type Misbehaviour = 'malformed' | 'too-big' | 'flood' | 'unexpected' | 'no-hello'

/** Whom a session tells what it read. */
export interface SessionEvents {
  heard(session: AgentSession): void
  hello(session: AgentSession, hello: Hello): void
  receipt(session: AgentSession, receipt: Receipt): void
  report(session: AgentSession, report: Report): void
  /** A delta did not apply. */
  resync(session: AgentSession): void
  ask(session: AgentSession, ask: Ask): void
  obeyed(session: AgentSession, obeyed: Obeyed): void
  bye(session: AgentSession, bye: Bye): void
  misbehaved(session: AgentSession, how: Misbehaviour): void
  /** The session is over; called once, whoever ended it. */
  gone(session: AgentSession): void
}

/** The key that an agent came with: it says which service the agent may speak for. */
export interface AgentKeyIdentity {
  readonly keyId: string
  readonly environment: string
  readonly service: string
  /** The caller's address. */
  readonly ip: string
}

/** Places 0..1, as even as can be however many are taken: steps of the golden ratio, modulo 1. */
export class Phases {
  private last = 0

  next(): number {
    this.last = (this.last + (Math.sqrt(5) - 1) / 2) % 1
    return this.last
  }
}

/** One connection of one agent: reads its frames, keeps its bounds, remembers what it was last told. */
export class AgentSession {
  /** Set by an accepted hello. */
  member: Member | null = null
  /** What this socket was told last; `null` = not yet. */
  lease: EvenSplit | null = null
  scales: Scales | null = null
  sparse: boolean | null = null
  /** The policy that it has, as far as this socket knows: said in its hello, or sent since. */
  policy: PolicyIdentity | null = null
  /** What it was sent last was a delta: it may ask for the whole. */
  private amended = false
  /** It missed a push while it was slow: the newest policy goes out when it has caught up. */
  stale = false
  private lastHeardMs: number
  private lastPingMs: number
  private slowSinceMs: number | null = null
  private readonly rate = new MessageRate(WIRE.maxMessagesPerSecond, WIRE.rateWindowMs)
  private ended = false

  constructor(
    readonly key: AgentKeyIdentity,
    private readonly socket: TextSocket,
    private readonly events: SessionEvents,
    private readonly bounds: AgentBounds,
    readonly openedAtMs: number,
    /** Its place 0..1 between two heartbeats: those that came together are not pinged together. */
    phase = 0,
  ) {
    this.lastHeardMs = openedAtMs
    this.lastPingMs = openedAtMs - phase * bounds.heartbeatMs
  }

  get isOver(): boolean {
    return this.ended
  }

  get isSlow(): boolean {
    return this.socket.bufferedBytes > this.bounds.slowBytes
  }

  /** One frame; `null` is a binary one. Never throws. */
  receive(text: string | null, nowMs: number): void {
    if (this.ended) return
    if (!this.rate.take(nowMs)) {
      this.punish('flood', CLOSE.tooMany, 'Too many messages.')
      return
    }
    if (text === null) {
      this.punish('malformed', CLOSE.protocol, 'A binary frame is not understood.')
      return
    }
    const decoded = decodeAgentMessage(text)
    if (!decoded.ok) {
      const problem = decoded.problems[0]
      if (decoded.code === 'too-big') this.punish('too-big', CLOSE.tooBig, 'The message is too long.')
      else this.punish('malformed', CLOSE.protocol, `${problem?.path ?? ''} ${problem?.message ?? decoded.code}`.trim())
      return
    }
    this.lastHeardMs = nowMs
    const { message } = decoded
    if ((message.type === 'hello') === (this.member !== null)) {
      this.punish('unexpected', CLOSE.protocol, this.member ? 'A second hello.' : 'The first message must be hello.')
      return
    }
    this.events.heard(this)
    if (message.type === 'hello') this.events.hello(this, message)
    else if (message.type === 'receipt') this.events.receipt(this, message)
    else if (message.type === 'report') this.events.report(this, message)
    else if (message.type === 'resync') this.events.resync(this)
    else if (message.type === 'ask') this.events.ask(this, message)
    else if (message.type === 'obeyed') this.events.obeyed(this, message)
    else if (message.type === 'bye') this.events.bye(this, message)
  }

  /** Time-outs and pings; `ping` is the frame of this beat, encoded once for all. */
  beat(nowMs: number, ping: Frame): void {
    if (this.ended) return
    if (this.member === null && nowMs - this.openedAtMs > WIRE.helloTimeoutMs) {
      this.punish('no-hello', CLOSE.helloTimeout, 'No hello in time.')
      return
    }
    if (nowMs - this.lastHeardMs > this.bounds.heartbeatMs * this.bounds.missedHeartbeats || this.isTooSlow(nowMs)) {
      this.drop()
      return
    }
    if (this.member === null || nowMs - this.lastPingMs < this.bounds.heartbeatMs) return
    this.lastPingMs = nowMs
    if (!this.isSlow) this.socket.send(ping)
  }

  send(message: ControlMessage): void {
    this.sendFrame(encode(message))
  }

  /** What is sent to a socket that is not read is kept in memory: past a bound it is dropped. */
  sendFrame(frame: Frame): void {
    if (this.ended) return
    if (this.socket.bufferedBytes > this.bounds.tooSlowBytes) this.drop()
    else this.socket.send(frame)
  }

  /** Sends a policy: what is different, where that is known and enough, else all of it. */
  push({ identity, snapshot, delta }: PushedPolicy): void {
    const enough = delta !== undefined && sameIdentity(this.policy, delta.from)
    this.policy = identity
    this.amended = enough
    this.sendFrame(enough ? delta.frame : snapshot)
  }

  /** A delta did not apply: all of it goes out, once. */
  resync(policy: PushedPolicy | null): void {
    if (!this.amended || policy === null) return
    this.policy = null
    this.push(policy)
  }

  /** What is sent within leaves in one write. */
  together(sends: () => void): void {
    this.socket.together(sends)
  }

  /** Ends it with a reason; `gone` has been told when this returns. */
  end(code: number, reason: string): void {
    if (this.ended) return
    this.finish()
    this.socket.close(code, reason.slice(0, 120))
  }

  /** The transport found a frame that it could not read, and closes by itself. */
  broken(how: Misbehaviour): void {
    if (this.ended) return
    this.events.misbehaved(this, how)
    this.finish()
  }

  /** The other side, or the network, ended it. */
  closed(): void {
    if (!this.ended) this.finish()
  }

  private isTooSlow(nowMs: number): boolean {
    this.slowSinceMs = this.isSlow ? (this.slowSinceMs ?? nowMs) : null
    return this.slowSinceMs !== null && nowMs - this.slowSinceMs > this.bounds.tooSlowMs
  }

  private drop(): void {
    this.finish()
    this.socket.terminate()
  }

  private punish(how: Misbehaviour, code: number, reason: string): void {
    this.events.misbehaved(this, how)
    this.end(code, reason)
  }

  private finish(): void {
    this.ended = true
    this.events.gone(this)
  }
}
