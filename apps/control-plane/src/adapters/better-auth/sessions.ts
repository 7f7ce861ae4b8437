import { type Principal, roleOf } from '../../features/access/identity.ts'
import { type Credentials, type SessionAnswer, Sessions } from '../../features/access/sessions.ts'
import { LINK_REFUSALS } from '../../features/access/sign-in-link.ts'
import { done, type Refusal } from '../../features/result.ts'
import type { Database } from '../prisma/database.ts'
import { type Auth, BASE_PATH, INSIDE, SIGN_INS } from './auth.ts'
import { ADDRESS_HEADER, LINK_PATH } from './link.ts'

interface Step {
  readonly path: string
  readonly body: object
  readonly ip: string
  readonly cookie?: string
  readonly userAgent?: string
}

const MAX_USER_AGENT = 256

/** Sessions by better-auth. Requests to it are made here from scratch: no header of a caller reaches it unread. */
export class BetterAuthSessions extends Sessions {
  readonly #auth: Auth
  readonly #database: Database

  constructor(auth: Auth, database: Database) {
    super()
    this.#auth = auth
    this.#database = database
  }

  override async ofCookie(cookie: string): Promise<Principal | null> {
    const found = await this.#auth.api.getSession({ headers: new Headers({ cookie }) })
    if (found === null) return null
    const { session, user } = found
    return principalOf(session.id, user)
  }

  override async byId(session: string): Promise<Principal | null> {
    const row = await this.#database.prisma.session.findFirst({
      where: { id: session, expiresAt: { gt: new Date() } },
      include: { user: true },
    })
    return row === null ? null : principalOf(row.id, row.user)
  }

  override signIn({ email, password, rememberMe }: Credentials, ip: string, userAgent: string): Promise<SessionAnswer> {
    return this.#step({ path: '/sign-in/email', body: { email, password, rememberMe }, ip, userAgent }, () => WRONG)
  }

  override signInByLink(tokenHash: string, ip: string, userAgent: string): Promise<SessionAnswer> {
    const wrong = (status: number) => LINK_REFUSALS[status === 410 ? 'gone' : 'unauthenticated']
    return this.#step({ path: LINK_PATH, body: { tokenHash }, ip, userAgent }, wrong)
  }

  override signOut(cookie: string, ip: string): Promise<SessionAnswer> {
    return this.#step({ path: '/sign-out', body: {}, ip, cookie }, () => WRONG)
  }

  override changePassword(cookie: string, ip: string, current: string, next: string): Promise<SessionAnswer> {
    const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true }
    return this.#step({ path: '/change-password', body, ip, cookie }, () => WRONG_CURRENT)
  }

  override async forgetEnded(): Promise<void> {
    await this.#database.prisma.session.deleteMany({ where: { expiresAt: { lte: new Date() } } })
    const over = BigInt(Date.now() - 2 * SIGN_INS.window * 1_000)
    await this.#database.prisma.rateLimit.deleteMany({ where: { lastRequest: { lt: over } } })
  }

  async #step({ path, body, ip, cookie, userAgent }: Step, wrong: (status: number) => Refusal): Promise<SessionAnswer> {
    const headers = new Headers({ 'content-type': 'application/json', origin: INSIDE, [ADDRESS_HEADER]: ip })
    if (cookie !== undefined && cookie !== '') headers.set('cookie', cookie)
    if (userAgent !== undefined && userAgent !== '') headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT))
    const request = new Request(INSIDE + BASE_PATH + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await this.#auth.handler(request)
    const cookies = response.headers.getSetCookie()
    if (response.ok) return { result: done(null), cookies }
    if (response.status === 429) {
      const retryAfterSeconds = Number(response.headers.get('x-retry-after')) || SIGN_INS.window
      return { result: { ok: false, refusal: TOO_MANY }, cookies: [], retryAfterSeconds }
    }
    if (response.status === 503) return { result: { ok: false, refusal: BUSY }, cookies: [], retryAfterSeconds: 1 }
    if (response.status >= 500) throw new Error(`better-auth answered ${path} with ${response.status}.`)
    return { result: { ok: false, refusal: wrong(response.status) }, cookies }
  }
}

const WRONG: Refusal = { code: 'unauthenticated', detail: 'The e-mail address or the password is wrong.' }
const WRONG_CURRENT: Refusal = { code: 'forbidden', detail: 'The present password is wrong.' }
const TOO_MANY: Refusal = { code: 'too-many-requests', detail: 'Too many attempts from your address: wait a little.' }
const BUSY: Refusal = { code: 'unavailable', detail: 'Too many sign-ins at this moment: try again in a second.' }

const principalOf = (
  session: string,
  user: { readonly id: string; readonly name: string; readonly email: string; readonly role: string },
): Principal => ({
  kind: 'operator',
  id: user.id,
  name: user.name,
  email: user.email,
  role: roleOf(user.role),
  session,
})
