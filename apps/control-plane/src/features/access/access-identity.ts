import type { IncomingHttpHeaders } from 'node:http'
import type { RefusalLog } from '../audit/refusal-log.ts'
import { done, type Result, refused } from '../result.ts'
import { type Asking, Identity, type Principal } from './identity.ts'
import { type CrossSite, crossSite, crossSiteUpgrade } from './same-origin.ts'
import { API_TOKEN, bearerOf, hashSecret, looksLike } from './secret.ts'
import type { Sessions } from './sessions.ts'
import { type TokenStore, tokenState, USED_EVERY_MS, useIsDue } from './tokens.ts'

export interface AccessIdentityParts {
  readonly sessions: Sessions
  readonly tokens: TokenStore
  readonly refusals: RefusalLog
  /** Further origins of the dashboard: that of PUBLIC_URL. */
  readonly publicOrigins: readonly string[]
  /** Time of day, ms. */
  readonly now: () => number
}

/** Operators by their session's cookie, everything else by an API token. A request with both is judged by its token alone. */
export class AccessIdentity extends Identity {
  readonly #parts: AccessIdentityParts

  constructor(parts: AccessIdentityParts) {
    super()
    this.#parts = parts
  }

  override identify(asking: Asking): Promise<Result<Principal>> {
    return this.#identify(asking, () => crossSite(provenance(asking, this.#parts.publicOrigins)))
  }

  override identifySocket(asking: Asking): Promise<Result<Principal>> {
    return this.#identify(asking, () => crossSiteUpgrade(provenance(asking, this.#parts.publicOrigins)))
  }

  override async recheck(principal: Principal): Promise<Principal | null> {
    if (principal.kind === 'operator')
      return principal.session === undefined ? null : this.#parts.sessions.byId(principal.session)
    const token = await this.#parts.tokens.find({ id: principal.id })
    return token !== null && tokenState(token, this.#parts.now()) === 'live' ? principalOf(token) : null
  }

  async #identify(asking: Asking, judge: () => CrossSite | null): Promise<Result<Principal>> {
    if (asking.headers.authorization !== undefined) return this.#byToken(asking.headers.authorization, asking.ip)
    const { cookie } = asking.headers
    const operator = cookie === undefined ? null : await this.#parts.sessions.ofCookie(cookie)
    if (operator === null) {
      this.#parts.refusals.note({
        what: 'session',
        ip: asking.ip,
        detail: { why: cookie === undefined ? 'none' : 'ended', method: asking.method },
      })
      return refused('unauthenticated', 'Sign in, or send an API token as a bearer token.')
    }
    const why = judge()
    if (why === null) return done(operator)
    this.#parts.refusals.note({
      what: 'cross-site',
      ip: asking.ip,
      actor: operator.name,
      detail: { why, origin: asking.headers.origin ?? '' },
    })
    return refused('forbidden', CROSS_SITE_SENTENCES[why])
  }

  async #byToken(authorization: string, ip: string): Promise<Result<Principal>> {
    const { tokens, refusals, now } = this.#parts
    const secret = bearerOf(authorization)
    const token =
      secret !== null && looksLike(API_TOKEN, secret) ? await tokens.find({ hash: hashSecret(secret) }) : null
    const state = tokenState(token, now())
    if (token === null || state !== 'live') {
      refusals.note({ what: 'token', ip, detail: { why: state, ...(token === null ? {} : { token: token.name }) } })
      return refused('unauthenticated', TOKEN_SENTENCES[state])
    }
    if (useIsDue(token, now())) void this.#noteUse(token.id)
    return done(principalOf(token))
  }

  /** A use that could not be noted is no reason to refuse the request; the next one notes it. */
  async #noteUse(id: string): Promise<void> {
    const now = this.#parts.now()
    await this.#parts.tokens.used(id, new Date(now), new Date(now - USED_EVERY_MS)).catch(() => {})
  }
}

const principalOf = (token: { id: string; name: string; role: Principal['role'] }): Principal => ({
  kind: 'token',
  id: token.id,
  name: token.name,
  email: null,
  role: token.role,
})

const TOKEN_SENTENCES = {
  live: '',
  unknown: 'The bearer token is not one of ours.',
  revoked: 'The token was revoked.',
  expired: 'The token has expired: make a new one.',
} as const

export const CROSS_SITE_SENTENCES: Record<CrossSite, string> = {
  'foreign-origin':
    'The request comes from another site. Behind a proxy, set PUBLIC_URL to the address that browsers use.',
  'no-origin': 'A write with the session’s cookie needs an Origin header; programs use an API token.',
  'no-x-weir-csrf': 'A write with the session’s cookie needs the header x-weir-csrf; programs use an API token.',
}

export const provenance = (asking: Asking, publicOrigins: readonly string[]) => ({
  method: asking.method,
  origin: asking.headers.origin,
  fetchSite: single(asking.headers, 'sec-fetch-site'),
  csrfHeader: single(asking.headers, 'x-weir-csrf'),
  ownOrigins: [asking.origin, ...publicOrigins],
})

const single = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
