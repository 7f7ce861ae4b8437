import type { Operator } from '@weir/api'
import { done, type Refusal, type Result } from '../result.ts'
import { makeSecret, SIGN_IN_TOKEN } from './secret.ts'

/** Long enough to go from a terminal to a browser; short enough that a line in a terminal's history is no key. */
export const LINK_VALID_MS = 600_000

/** The token is in the fragment, which browsers send to nobody: neither proxies nor access logs see it. */
export const signInLink = (origin: string, token: string): string => `${origin}/sign-in#${token}`

/** What the database knows of the token that somebody comes with. */
export interface LinkState {
  readonly expiresAt: Date
  readonly usedAt: Date | null
}

/** Why a link signs nobody in: it is not known (or was replaced, or its operator removed), or its time or its use is over. */
export type LinkRefusal = 'unauthenticated' | 'gone'

/** `null` = it may be used. */
export const linkRefusal = (link: LinkState | null, now: Date): LinkRefusal | null => {
  if (link === null) return 'unauthenticated'
  return link.usedAt === null && now < link.expiresAt ? null : 'gone'
}

const NEW_ONE = 'Make a new one with "weir operator sign-in-link", or sign in with the password.'

export const LINK_REFUSALS: Record<LinkRefusal, Refusal> = {
  unauthenticated: {
    code: 'unauthenticated',
    detail: `This sign-in link is not one of ours, or was replaced. ${NEW_ONE}`,
  },
  gone: { code: 'gone', detail: `This sign-in link was used, or is older than ten minutes. ${NEW_ONE}` },
}

/** Every write is one transaction together with its entry in the audit. At most one link an operator. */
export abstract class SignInLinkStore {
  /** Keeps the hash in place of the operator's earlier link. By e-mail address, lower case. Refused: no such operator. */
  abstract keep(email: string, hash: string, expiresAt: Date, actor: string): Promise<Result<Operator>>
  /** Uses the link up and says whose it was, by id; of two that race, one is refused. `ip`: of the caller, for the audit. */
  abstract use(hash: string, ip: string, now: Date): Promise<Result<string>>
}

export class SignInLinks {
  readonly #store: SignInLinkStore
  readonly #now: () => number

  /** `now`: time of day, ms. */
  constructor(store: SignInLinkStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** A token that signs the operator in once, within `LINK_VALID_MS`; kept as a hash only. */
  async make(email: string, actor: string): Promise<Result<{ readonly token: string; readonly operator: Operator }>> {
    const { secret, hash } = makeSecret(SIGN_IN_TOKEN)
    const kept = await this.#store.keep(email.toLowerCase(), hash, new Date(this.#now() + LINK_VALID_MS), actor)
    return kept.ok ? done({ token: secret, operator: kept.value }) : kept
  }
}
