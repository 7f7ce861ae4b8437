import type { AuditLog } from '../audit/audit-log.ts'
import type { RefusalLog } from '../audit/refusal-log.ts'
import { refused } from '../result.ts'
import { CROSS_SITE_SENTENCES, provenance } from './access-identity.ts'
import type { Asking, Principal } from './identity.ts'
import { crossSiteSignIn } from './same-origin.ts'
import { hashSecret, looksLike, SIGN_IN_TOKEN } from './secret.ts'
import type { Credentials, SessionAnswer, Sessions } from './sessions.ts'
import { LINK_REFUSALS } from './sign-in-link.ts'

export interface SignInParts {
  readonly sessions: Sessions
  readonly audit: Pick<AuditLog, 'write'>
  readonly refusals: RefusalLog
  readonly publicOrigins: readonly string[]
}

/** Signing in and out, and the password of one's own: checked for foreign sites, told to the audit. */
export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  async signIn(asking: Asking, credentials: Credentials): Promise<SessionAnswer> {
    const foreign = this.#foreign(asking)
    if (foreign !== null) return foreign
    const userAgent = asking.headers['user-agent'] ?? ''
    const answer = await this.#parts.sessions.signIn(credentials, asking.ip, userAgent)
    const { email } = credentials
    if (answer.result.ok)
      await this.#parts.audit.write({ actor: email.toLowerCase(), action: 'session.sign-in', target: asking.ip })
    else
      this.#parts.refusals.note({ what: 'sign-in', ip: asking.ip, detail: { email, why: answer.result.refusal.code } })
    return onlyOverTls(answer, asking)
  }

  /** The link's use is told to the audit where it is used up. */
  async signInByLink(asking: Asking, token: string): Promise<SessionAnswer> {
    const foreign = this.#foreign(asking)
    if (foreign !== null) return foreign
    const userAgent = asking.headers['user-agent'] ?? ''
    const answer: SessionAnswer = looksLike(SIGN_IN_TOKEN, token)
      ? await this.#parts.sessions.signInByLink(hashSecret(token), asking.ip, userAgent)
      : { result: { ok: false, refusal: LINK_REFUSALS.unauthenticated }, cookies: [] }
    if (!answer.result.ok)
      this.#parts.refusals.note({ what: 'sign-in-link', ip: asking.ip, detail: { why: answer.result.refusal.code } })
    return onlyOverTls(answer, asking)
  }

  async signOut(asking: Asking): Promise<SessionAnswer> {
    const foreign = this.#foreign(asking)
    if (foreign !== null) return foreign
    const cookie = asking.headers.cookie ?? ''
    const operator = await this.#parts.sessions.ofCookie(cookie)
    const answer = await this.#parts.sessions.signOut(cookie, asking.ip)
    if (operator !== null)
      await this.#parts.audit.write({ actor: operator.name, action: 'session.sign-out', target: asking.ip })
    return onlyOverTls(answer, asking)
  }

  /** The guard has judged the request already. */
  async changePassword(asking: Asking, principal: Principal, current: string, next: string): Promise<SessionAnswer> {
    if (principal.kind !== 'operator') return { result: refused('forbidden', 'A token has no password.'), cookies: [] }
    const { sessions, audit, refusals } = this.#parts
    const cookie = asking.headers.cookie ?? ''
    const answer = await sessions.changePassword(cookie, asking.ip, current, next)
    if (answer.result.ok)
      await audit.write({ actor: principal.name, action: 'operator.password', target: principal.email })
    else refusals.note({ what: 'password', ip: asking.ip, actor: principal.name })
    return onlyOverTls(answer, asking)
  }

  #foreign(asking: Asking): SessionAnswer | null {
    const why = crossSiteSignIn(provenance(asking, this.#parts.publicOrigins))
    if (why === null) return null
    this.#parts.refusals.note({
      what: 'cross-site',
      ip: asking.ip,
      detail: { why, origin: asking.headers.origin ?? '' },
    })
    return { result: refused('forbidden', CROSS_SITE_SENTENCES[why]), cookies: [] }
  }
}

/** A browser that came by https never sends the cookie in the clear; decided by request, as a proxy may end TLS. */
const onlyOverTls = (answer: SessionAnswer, asking: Asking): SessionAnswer =>
  asking.origin.startsWith('https://')
    ? { ...answer, cookies: answer.cookies.map((cookie) => `${cookie}; Secure`) }
    : answer
