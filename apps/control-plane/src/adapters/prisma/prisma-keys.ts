import { Injectable, type OnModuleDestroy } from '@nestjs/common'
import type { CreatedKey, Key } from '@weir/api'
import { hashSecret, looksLike, makeSecret } from '../../features/access/secret.ts'
import { Bus } from '../../features/bus.ts'
import { AgentKeys, type KeyScope, type NewKey } from '../../features/keys/agent-keys.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { AgentKey } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import { Database } from './database.ts'
import { findEnvironment } from './find.ts'

/** An answer is kept this long: agents send figures each second. A revocation empties it at once. */
const KEPT_MS = 5_000
const KEPT_KEYS = 10_000
/** `lastUsedAt` is this coarse. */
const USE_NOTED_MS = 60_000
/** Keys of one environment that are not revoked. */
const MOST_KEYS = 5_000

/** How every key begins; tokens and set-up tokens have longer beginnings. */
const KEY = 'weir_'

interface Kept {
  readonly scope: KeyScope | null
  readonly until: number
}

@Injectable()
export class PrismaAgentKeys extends AgentKeys implements OnModuleDestroy {
  readonly #kept = new Map<string, Kept>()
  /** Being looked up: a fleet that comes back at once asks once for each key. */
  readonly #asked = new Map<string, Promise<KeyScope | null>>()
  readonly #unsubscribe: () => void
  /** Grows with each revocation: an answer that was asked before one is not kept after it. */
  #revocations = 0

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {
    super()
    this.#unsubscribe = bus.subscribe('key-revoked', () => this.#forget())
  }

  onModuleDestroy(): void {
    this.#unsubscribe()
  }

  #forget(): void {
    this.#revocations++
    this.#kept.clear()
    this.#asked.clear()
  }

  override async authenticate(secret: string): Promise<KeyScope | null> {
    if (!looksLike(KEY, secret)) return null
    const hash = hashSecret(secret)
    const now = performance.now()
    const kept = this.#kept.get(hash)
    if (kept !== undefined && kept.until > now) return kept.scope
    const asked = this.#asked.get(hash)
    if (asked !== undefined) return asked
    const asking = this.#ask(hash).finally(() => {
      if (this.#asked.get(hash) === asking) this.#asked.delete(hash)
    })
    this.#asked.set(hash, asking)
    return asking
  }

  async #ask(hash: string): Promise<KeyScope | null> {
    const before = this.#revocations
    const scope = await this.#look(hash)
    if (before !== this.#revocations) return this.#look(hash)
    if (this.#kept.size >= KEPT_KEYS) this.#kept.clear()
    this.#kept.set(hash, { scope, until: performance.now() + KEPT_MS })
    return scope
  }

  async #look(hash: string): Promise<KeyScope | null> {
    const { prisma } = this.database
    const key = await prisma.agentKey.findUnique({ where: { hash }, include: { environment: true } })
    if (key === null || key.revokedAt !== null) return null
    if (key.lastUsedAt === null || Date.now() - key.lastUsedAt.getTime() > USE_NOTED_MS)
      await prisma.agentKey.update({ where: { id: key.id }, data: { lastUsedAt: new Date() } })
    const services = await prisma.service.findMany({
      where: { environmentId: key.environmentId, name: { in: key.services } },
      select: { id: true, name: true },
    })
    return {
      keyId: key.id,
      kind: kindOf(key.kind),
      environmentId: key.environmentId,
      environment: key.environment.name,
      services,
    }
  }

  override async list(environment: string, page: PageRequest<string>): Promise<Result<Rows<Key>>> {
    const found = await findEnvironment(this.database.prisma, environment)
    if (!found.ok) return found
    const rows = await this.database.prisma.agentKey.findMany({
      where: {
        environmentId: found.value.id,
        ...(page.after === null ? {} : { id: { gt: page.after } }),
        ...(page.search ? { name: { contains: page.search, mode: 'insensitive' } } : {}),
      },
      orderBy: { id: 'asc' },
      take: page.limit + 1,
    })
    return done(rowsOf(rows, page.limit, keyOf))
  }

  override async create(
    environment: string,
    { kind, name, services }: NewKey,
    actor: string,
  ): Promise<Result<CreatedKey>> {
    return this.database.prisma.$transaction(async (tx) => {
      const found = await findEnvironment(tx, environment)
      if (!found.ok) return found
      const { id: environmentId } = found.value
      const wanted = [...new Set(services)]
      const known = await tx.service.findMany({
        where: { environmentId, name: { in: wanted } },
        select: { name: true },
      })
      const missing = wanted.filter((service) => !known.some((row) => row.name === service))
      if (missing.length > 0)
        return refused('invalid', `There is no service ${missing.join(', ')} in ${environment}.`, [
          { path: 'services', message: `There is no service ${missing.join(', ')} in ${environment}.` },
        ])
      if ((await tx.agentKey.count({ where: { environmentId, revokedAt: null } })) >= MOST_KEYS)
        return refused('conflict', `An environment has at most ${MOST_KEYS} keys: revoke some.`)
      const { secret, hash, prefix } = makeSecret(KEY)
      const row = await tx.agentKey.create({
        data: { environmentId, kind, name, services: wanted, hash, prefix, createdBy: actor },
      })
      await writeAudit(tx, { actor, action: 'key.create', environment, target: row.id, detail: { kind, name } })
      return done({ ...keyOf(row), secret })
    })
  }

  override async revoked(ids: readonly string[]): Promise<readonly string[]> {
    const valid = await this.database.prisma.agentKey.findMany({
      where: { id: { in: [...ids] }, revokedAt: null },
      select: { id: true },
    })
    const kept = new Set(valid.map(({ id }) => id))
    return ids.filter((id) => !kept.has(id))
  }

  override async revoke(environment: string, id: string, actor: string): Promise<Result<null>> {
    const result = await this.database.prisma.$transaction(async (tx) => {
      const { count } = await tx.agentKey.updateMany({
        where: { id, revokedAt: null, environment: { name: environment } },
        data: { revokedAt: new Date() },
      })
      if (count === 0) return refused('not-found', 'There is no such key, or it was revoked already.')
      await writeAudit(tx, { actor, action: 'key.revoke', environment, target: id })
      return done(null)
    })
    if (result.ok) {
      this.#forget()
      this.bus.publish('key-revoked', { keyId: id })
    }
    return result
  }
}

const kindOf = (kind: string): 'agent' | 'ingest' => (kind === 'ingest' ? 'ingest' : 'agent')

const keyOf = (row: AgentKey): Key => ({
  id: row.id,
  kind: kindOf(row.kind),
  name: row.name,
  services: row.services,
  prefix: row.prefix,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
})
