import { randomBytes } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'

/** Connections of one replica. */
const POOL = 20

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

  /** Opens a migrated database; makes its identity when it is new. */
  static async open(url: string, onError: (error: Error) => void): Promise<Database> {
    const pool = new pg.Pool({ connectionString: url, max: POOL, connectionTimeoutMillis: 5_000 })
    pool.on('error', onError)
    // A connection that is lost between two statements of its holder has nobody else who hears of it, and would end the process.
    pool.on('connect', (client) => client.on('error', onError))
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
