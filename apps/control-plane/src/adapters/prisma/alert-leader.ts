import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { AlertLeader, TERM_SECONDS, type Term } from '../../features/alerts/leader.ts'
import { Database } from './database.ts'

/** One row with a time of this database's clock. Two replicas never compare theirs. */
@Injectable()
export class PrismaAlertLeader extends AlertLeader {
  /** Says for people which process it is. */
  readonly #holder = `${randomUUID()}-${process.pid}`

  constructor(private readonly database: Database) {
    super()
  }

  override async hold(): Promise<Term | null> {
    const rows = await this.database.prisma.$queryRaw<{ token: bigint; now: number }[]>`
      UPDATE alert_leader SET
        token = CASE WHEN holder = ${this.#holder} AND expires_at > now() THEN token ELSE token + 1 END,
        holder = ${this.#holder}, expires_at = now() + make_interval(secs => ${TERM_SECONDS})
      WHERE holder = ${this.#holder} OR expires_at <= now()
      RETURNING token, extract(epoch FROM now())::float8 * 1000 AS now`
    const row = rows[0]
    return row === undefined ? null : { token: row.token, nowMs: row.now }
  }

  override async release(): Promise<void> {
    await this.database.prisma.$executeRaw`UPDATE alert_leader SET expires_at = now() WHERE holder = ${this.#holder}`
  }
}
