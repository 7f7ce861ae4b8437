import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'

/** Connections of one replica. */
const POOL = 20
/** A server that has said nothing for so long, in the middle of a statement, is gone: one that fails over may leave connections that never end. */
const SILENCE_MS = 30_000

const endSilent = ({ connection: { stream } }: pg.Client, ms: number): void => {
  if (stream instanceof Socket)
    stream.setTimeout(ms, () =>
      stream.destroy(new Error(`Connection terminated: no word from the database for ${ms} ms`)),
    )
}

export type Transaction = Prisma.TransactionClient

/** The one database: Prisma for most, the pool for bulk statements. Both share the same connections. */
export class Database {
  readonly prisma: PrismaClient
  /** Identity of this database's revisions. */
  readonly databaseId: string
  /** Secret of the operators' sessions, 256 random bits. */
  readonly secret: string
  readonly pool: pg.Pool

  private constructor(pool: pg.Pool, prisma: PrismaClient, installation: { databaseId: string; secret: string }) {
    this.pool = pool
    this.prisma = prisma
    this.databaseId = installation.databaseId
    this.secret = installation.secret
  }

  /** Opens a migrated database; makes its identity when it is new. `silenceMs`: how long a server may be silent in the middle of a statement. */
  static async open(url: string, onError: (error: Error) => void, silenceMs = SILENCE_MS): Promise<Database> {
    const pool = new pg.Pool({ connectionString: url, max: POOL, connectionTimeoutMillis: 5_000 })
    pool.on('error', onError)
    // A connection that is lost between two statements of its holder has nobody else who hears of it, and would end the process.
    pool.on('connect', (client) => {
      client.on('error', onError)
      endSilent(client, silenceMs)
    })
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
    try {
      const secret = randomBytes(32).toString('base64url')
      await prisma.$executeRaw`INSERT INTO installation (id, secret) VALUES (1, ${secret}) ON CONFLICT DO NOTHING`
      return new Database(pool, prisma, await prisma.installation.findUniqueOrThrow({ where: { id: 1 } }))
    } catch (error) {
      await prisma.$disconnect()
      await pool.end()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect()
    await this.pool.end()
  }
}
