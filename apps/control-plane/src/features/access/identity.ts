import type { IncomingHttpHeaders } from 'node:http'
import { ROLES, type Role } from '@weir/api'
import type { Result } from '../result.ts'
import type { Caller } from './caller.ts'

/** Who asks. */
export interface Principal {
  readonly kind: 'operator' | 'token'
  readonly id: string
  /** Goes into authors and the audit. */
  readonly name: string
  readonly email: string | null
  readonly role: Role
  /** Id of the session by which an operator asks; a token has none. */
  readonly session?: string
}

/** A request, or the upgrade of a socket, as `Callers.asking` reads it. */
export interface Asking extends Caller {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** Knows who asks, by session cookie or API token. */
export abstract class Identity {
  /** Refused: `unauthenticated` (nobody that is known), or `forbidden` (a session's write that another site may have made). */
  abstract identify(asking: Asking): Promise<Result<Principal>>
  /** The same at the upgrade of a socket, where a session needs our own Origin: browsers let every page open sockets. */
  abstract identifySocket(asking: Asking): Promise<Result<Principal>>
  /** The same principal with today's role, or `null`: signed out, expired, revoked, removed. For connections that last. */
  abstract recheck(principal: Principal): Promise<Principal | null>
}

const RANK: Record<Role, number> = { viewer: 1, editor: 2, admin: 3 }

/** An editor may what a viewer may; an admin may everything. */
export const mayAct = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed]

/** A role as the database holds it; a word that is none (a newer version's) is the weakest. */
export const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? 'viewer'
