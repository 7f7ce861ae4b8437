import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from '@weir/api'

/** Who asks. */
export interface Principal {
  readonly kind: 'operator' | 'token'
  readonly id: string
  /** Goes into authors and the audit. */
  readonly name: string
  readonly email: string | null
  readonly role: Role
}

export interface Asking {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

/** Knows who asks, by session cookie or API token. `null` = nobody that is known. */
export abstract class Identity {
  abstract identify(asking: Asking): Promise<Principal | null>
}

const RANK: Record<Role, number> = { viewer: 1, editor: 2, admin: 3 }

/** An editor may what a viewer may; an admin may everything. */
export const mayAct = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed]

/** Knows nobody. */
export class NobodyIdentity extends Identity {
  override identify(): Promise<null> {
    return Promise.resolve(null)
  }
}
