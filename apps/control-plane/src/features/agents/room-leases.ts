import type { LeaseGranted } from '@weir/policy/model'
import type { Ask, Obeyed } from '@weir/wire'
import type { LeaseSeat, Leases } from '../leases/leases-port.ts'
import type { ServiceRef } from './agent-record.ts'
import type { AgentSession } from './agent-session.ts'
import type { Member } from './roster.ts'

/** What the leases of a room need. */
export interface Leasing {
  readonly leases: Leases
  /** Writes what waits to be written. */
  store(): Promise<void>
  monotonicMs(): number
  onError(error: unknown): void
}

/** What a poller says of its leases is at most so old, milliseconds: it has no connection whose beginning would say. */
const POLL_AGE_MS = 30_000

/** Carries what one service's agents say of leases to whoever keeps the book, and the answers back. */
export class RoomLeases {
  constructor(
    private readonly service: ServiceRef & { readonly serviceId: string },
    private readonly parts: Leasing,
  ) {}

  ask(session: AgentSession, ask: Ask): void {
    this.answer(session, ask).catch((error: unknown) => this.parts.onError(error))
  }

  obeyed({ member, openedAtMs }: AgentSession, { obeyed }: Obeyed): void {
    if (member !== null) this.parts.leases.obeyed(this.seat(member, openedAtMs), obeyed)
  }

  /** Of an agent without a socket. Resolves once, or never. */
  async polled(member: Member, { asked, whole }: Ask): Promise<readonly LeaseGranted[] | null> {
    if (!(await this.isKnown(member))) return null
    const openedMs = this.parts.monotonicMs() - POLL_AGE_MS
    return new Promise((resolve) => this.parts.leases.ask(this.seat(member, openedMs), asked, resolve, whole))
  }

  /** It has ended: said from the connection that it asked from, for what an older one says does not count. */
  release(member: Member): void {
    this.parts.leases.release(this.seat(member, member.session?.openedAtMs ?? this.parts.monotonicMs()))
  }

  private async answer(session: AgentSession, { n, asked, whole }: Ask): Promise<void> {
    const { member } = session
    if (member === null || !(await this.isKnown(member)) || session.isOver) return
    const reply = (granted: readonly LeaseGranted[]) => {
      if (!session.isSlow) session.send({ type: 'grants', n, granted })
    }
    this.parts.leases.ask(this.seat(member, session.openedAtMs), asked, reply, whole)
  }

  /** The database knows an agent before it is granted anything: whoever keeps the book after this one must find it there. */
  private async isKnown(member: Member): Promise<boolean> {
    if (!member.known) await this.parts.store()
    return member.known
  }

  private seat(member: Member, openedMs: number): LeaseSeat {
    return { ...this.service, instance: member.record.instance, openedMs }
  }
}
