import type { Result } from '../result.ts'
import type { Principal } from './identity.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
  /** `false`: the cookie ends with the browser. */
  readonly rememberMe: boolean
}

/** Outcome of a step that may set cookies. `retryAfterSeconds` when trying again later helps. */
export interface SessionAnswer {
  readonly result: Result<null>
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[]
  readonly retryAfterSeconds?: number
}

/** Sessions of operators: kept in the database, told by a signed cookie, counted against guessing by the caller's address. */
export abstract class Sessions {
  /** The operator behind a Cookie header, with today's role. */
  abstract ofCookie(cookie: string): Promise<Principal | null>
  /** The operator behind a session's id, with today's role; `null` when it has ended. */
  abstract byId(session: string): Promise<Principal | null>
  abstract signIn(credentials: Credentials, ip: string, userAgent: string): Promise<SessionAnswer>
  /** By the hash of a sign-in link's token, once; see `SignInLinkStore`. */
  abstract signInByLink(tokenHash: string, ip: string, userAgent: string): Promise<SessionAnswer>
  abstract signOut(cookie: string, ip: string): Promise<SessionAnswer>
  /** Ends the operator's other sessions. */
  abstract changePassword(cookie: string, ip: string, current: string, next: string): Promise<SessionAnswer>
  /** Removes the rows of sessions and counters that are over. */
  abstract forgetEnded(): Promise<void>
}
