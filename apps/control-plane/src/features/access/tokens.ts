import type { createdTokenSchema, createTokenSchema, Page, PageQuery, Role, Token } from '@weir/api'
import type { z } from 'zod'
import { done, type Result } from '../result.ts'
import { API_TOKEN, makeSecret } from './secret.ts'

export interface NewToken {
  readonly name: string
  readonly role: Role
  readonly prefix: string
  readonly hash: string
  readonly expiresAt: Date | null
}

/** What a token's hash, or its id, leads to. */
export interface TokenRecord {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export abstract class TokenStore {
  /** Those that are neither revoked nor expired for long; the newest first. */
  abstract page(query: PageQuery): Promise<Result<Page<Token>>>
  /** Refused: too many. Writes the audit. */
  abstract create(token: NewToken, actor: string): Promise<Result<Token>>
  /** Writes the audit. */
  abstract revoke(id: string, actor: string): Promise<Result<null>>
  abstract find(by: { readonly hash: string } | { readonly id: string }): Promise<TokenRecord | null>
  /** Notes a use, unless one was noted since `unlessAfter`. */
  abstract used(id: string, at: Date, unlessAfter: Date): Promise<void>
  /** Removes the rows of tokens that were revoked, or have been expired, for longer than 30 days; returns how many. */
  abstract forgetDead(): Promise<number>
}

export const MAX_TOKENS = 1_000

export class Tokens {
  readonly #store: TokenStore
  readonly #now: () => number

  /** `now`: time of day, ms. */
  constructor(store: TokenStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  page(query: PageQuery): Promise<Result<Page<Token>>> {
    return this.#store.page(query)
  }

  async create(
    { name, role, expiresInDays }: z.output<typeof createTokenSchema>,
    actor: string,
  ): Promise<Result<z.infer<typeof createdTokenSchema>>> {
    const { secret, prefix, hash } = makeSecret(API_TOKEN)
    const expiresAt = expiresInDays === null ? null : new Date(this.#now() + expiresInDays * DAY_MS)
    const made = await this.#store.create({ name, role, prefix, hash, expiresAt }, actor)
    return made.ok ? done({ ...made.value, secret }) : made
  }

  revoke(id: string, actor: string): Promise<Result<null>> {
    return this.#store.revoke(id, actor)
  }
}

const DAY_MS = 86_400_000

/** A use is noted at most this often, so that reading costs no write. */
export const USED_EVERY_MS = 60_000

export type TokenState = 'live' | 'unknown' | 'revoked' | 'expired'

/** `now`: time of day, ms. */
export const tokenState = (token: TokenRecord | null, now: number): TokenState => {
  if (token === null) return 'unknown'
  if (token.revokedAt !== null) return 'revoked'
  return token.expiresAt !== null && now >= token.expiresAt.getTime() ? 'expired' : 'live'
}

export const useIsDue = (token: TokenRecord, now: number): boolean =>
  token.lastUsedAt === null || now - token.lastUsedAt.getTime() >= USED_EVERY_MS
