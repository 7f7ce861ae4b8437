import type { Page, PageQuery, Token } from '@weir/api'
import { roleOf } from '../../features/access/identity.ts'
import { MAX_TOKENS, type NewToken, type TokenRecord, TokenStore } from '../../features/access/tokens.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import type { Database } from './database.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** An expired token stays listed this long, so that a broken job finds its cause. */
const DEAD_DAYS = 30

const deadSince = () => new Date(Date.now() - DEAD_DAYS * 86_400_000)

export class PrismaTokenStore extends TokenStore {
  readonly #database: Database

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override async page({ cursor, limit, search }: PageQuery): Promise<Result<Page<Token>>> {
    if (cursor !== undefined && !UUID.test(cursor)) return refused('invalid', 'The cursor is not one of ours.')
    const rows = await this.#database.prisma.apiToken.findMany({
      where: {
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: deadSince() } }],
        ...(search === undefined ? {} : { name: { contains: search, mode: 'insensitive' } }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...(cursor === undefined ? {} : { cursor: { id: cursor }, skip: 1 }),
      take: limit + 1,
    })
    const items = rows.slice(0, limit).map(tokenOf)
    return done({ items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null })
  }

  override create(token: NewToken, actor: string): Promise<Result<Token>> {
    return this.#database.prisma.$transaction(async (transaction) => {
      const live = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
      if ((await transaction.apiToken.count({ where: live })) >= MAX_TOKENS)
        return refused('conflict', `There are ${MAX_TOKENS} tokens already: revoke some.`)
      const row = await transaction.apiToken.create({ data: { ...token, createdBy: actor } })
      const { name, role, prefix, expiresAt } = token
      const detail = { role, prefix, expiresAt }
      await writeAudit(transaction, { actor, action: 'token.create', target: name, detail })
      return done(tokenOf(row))
    })
  }

  override revoke(id: string, actor: string): Promise<Result<null>> {
    if (!UUID.test(id)) return Promise.resolve(NO_SUCH_TOKEN)
    return this.#database.prisma.$transaction(async (transaction) => {
      const where = { id, revokedAt: null }
      const { count } = await transaction.apiToken.updateMany({ where, data: { revokedAt: new Date() } })
      if (count === 0) return NO_SUCH_TOKEN
      const { name, prefix } = await transaction.apiToken.findUniqueOrThrow({ where: { id } })
      await writeAudit(transaction, { actor, action: 'token.revoke', target: name, detail: { prefix } })
      return done(null)
    })
  }

  override async find(by: { hash: string } | { id: string }): Promise<TokenRecord | null> {
    if ('id' in by && !UUID.test(by.id)) return null
    const row = await this.#database.prisma.apiToken.findUnique({ where: by })
    if (row === null) return null
    const { id, name, role, expiresAt, lastUsedAt, revokedAt } = row
    return { id, name, role: roleOf(role), expiresAt, lastUsedAt, revokedAt }
  }

  override async used(id: string, at: Date, unlessAfter: Date): Promise<void> {
    await this.#database.prisma.apiToken.updateMany({
      where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: unlessAfter } }] },
      data: { lastUsedAt: at },
    })
  }

  override async forgetDead(): Promise<number> {
    const { count } = await this.#database.prisma.apiToken.deleteMany({
      where: { OR: [{ revokedAt: { lt: deadSince() } }, { expiresAt: { lt: deadSince() } }] },
    })
    return count
  }
}

const NO_SUCH_TOKEN: Result<never> = refused('not-found', 'There is no such token, or it was revoked already.')

const tokenOf = (row: Prisma.ApiTokenModel): Token => ({
  id: row.id,
  name: row.name,
  role: roleOf(row.role),
  prefix: row.prefix,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})
