import type { LeaseAsked, LeaseGranted, LeaseName, LeaseObeyed, Quotas } from '@weir/policy/model'
import type { ServiceRef } from '../services/service-ref.ts'
import type { LeaseShare, LedgerFigures } from './figures.ts'
import type { BookBefore } from './lease-book.ts'

/** Where an agent asks from. */
export interface LeaseSeat extends ServiceRef {
  readonly serviceId: string
  readonly instance: string
  /** When its present connection began, monotonic milliseconds of this replica: what it says of its leases is no older. */
  readonly openedMs: number
}

/** One quota as screens show it, whole units: slots, or millionths of a unit per second. */
export interface LeasedQuota extends LeaseName, LedgerFigures {}

export interface LeaseFigures {
  /** How often agents ask, milliseconds. */
  readonly refreshMs: number
  /** After so much silence an agent counts as dead, milliseconds. */
  readonly presumedDeadMs: number
  readonly quotas: readonly LeasedQuota[]
}

export interface SharesPage {
  readonly after: string | null
  readonly limit: number
}

/** The leases of all services: one ledger for each quota in the whole fleet, wherever it is kept. */
export abstract class Leases {
  /**
   * Answers later, once or never: an answer that does not come is a lost one, which the agent stands. Call it only for an agent that the database knows.
   * `whole`: it holds nothing that `asked` does not name; default true.
   */
  abstract ask(
    seat: LeaseSeat,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[]) => void,
    whole?: boolean,
  ): void
  abstract obeyed(seat: LeaseSeat, obeyed: readonly LeaseObeyed[]): void
  /** The agent has ended and gives back all that it held. One that counts as dead needs none: the ledger finds that itself. */
  abstract release(seat: LeaseSeat): void
  /** Perhaps other quotas are in force: a hint, may come late or twice. Resolves once they hold here; never rejects. */
  abstract published(serviceId: string): Promise<void>
  /** `null`: nothing of this service is leased at present. */
  abstract figures(serviceId: string): Promise<LeaseFigures | null>
  /** Each agent's part of one quota, by name, those after `after`. `null`: it is not leased at present. */
  abstract shares(serviceId: string, name: LeaseName, page: SharesPage): Promise<LeaseShare[] | null>
  /** About once a second: whatever is over is forgotten. */
  abstract beat(): void
}

/** What is read before anything is leased. */
export abstract class LeaseStore {
  /** Agents that are not known to have ended, and of each quota the largest that was in force within `withinMs`. @throws when the store is away. */
  abstract before(serviceId: string, withinMs: number): Promise<BookBefore>
}

/** The quotas in force of a service. */
export interface QuotasInForce {
  readonly revision: number
  readonly quotas: Quotas
}
