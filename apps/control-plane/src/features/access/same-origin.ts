import { CSRF_HEADER } from '@weir/api'

/** What a browser says about where a request comes from. `ownOrigins`: those under which the dashboard is served. */
export interface Provenance {
  readonly method: string
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly csrfHeader: string | undefined
  readonly ownOrigins: readonly string[]
}

export type CrossSite = 'foreign-origin' | 'no-origin' | `no-${typeof CSRF_HEADER}`

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Why a request made with the session's cookie must not be believed to be the operator's own will; `null` = it may.
 * A read never changes anything, so only writes are judged. Two measures, either of which would do: the browser's word
 * (`Origin`, or `Sec-Fetch-Site: same-origin` from one that leaves `Origin` out), and a header that a foreign page
 * cannot add, because no preflight is ever granted. Neither said = refused: a browser always says one.
 */
export const crossSite = (request: Provenance): CrossSite | null => {
  if (SAFE.has(request.method)) return null
  return foreign(request) ?? (request.csrfHeader === undefined ? `no-${CSRF_HEADER}` : null)
}

/**
 * The same for a request that bears no session yet (sign-in, set-up): a browser that names a foreign site is refused,
 * so that nobody is signed in to somebody else's account; a caller that is no browser says nothing, and passes.
 */
export const crossSiteSignIn = (request: Provenance): CrossSite | null => {
  const word = foreign(request)
  return word === 'no-origin' ? null : word
}

/** At the upgrade of a socket, which is a GET: a browser always sends `Origin`; without one it is no browser's session. */
export const crossSiteUpgrade = (request: Pick<Provenance, 'origin' | 'ownOrigins'>): CrossSite | null =>
  foreign({ ...request, fetchSite: undefined })

const foreign = (request: Pick<Provenance, 'origin' | 'fetchSite' | 'ownOrigins'>): CrossSite | null => {
  if (request.origin !== undefined && request.origin !== 'null')
    return request.ownOrigins.includes(request.origin) ? null : 'foreign-origin'
  if (request.fetchSite === 'same-origin') return null
  return request.origin === undefined && request.fetchSite === undefined ? 'no-origin' : 'foreign-origin'
}
