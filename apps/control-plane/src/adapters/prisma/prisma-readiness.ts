import { Injectable } from '@nestjs/common'
import { Readiness } from '../../features/health/readiness.ts'
import { Database } from './database.ts'

/** A probe asks often; an answer slower than this is none. */
const PATIENCE_MS = 2_000

@Injectable()
export class PrismaReadiness extends Readiness {
  constructor(private readonly database: Database) {
    super()
  }

  override async databaseReachable(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref())
    const asked = this.database.pool.query('SELECT 1').then(
      () => true,
      () => false,
    )
    return Promise.race([asked, late])
  }
}
