import { Injectable } from '@nestjs/common'
import {
  type EffectiveSnapshot,
  type RevisionChange,
  RevisionSource,
} from '../../features/policies/effective-policies.ts'
import { Database } from './database.ts'

@Injectable()
export class PrismaRevisions extends RevisionSource {
  constructor(private readonly database: Database) {
    super()
  }

  override async revisions(): Promise<readonly RevisionChange[]> {
    const { rows } = await this.database.pool.query<RevisionChange>(
      `SELECT s.id AS "serviceId", e.name AS environment, s.name AS service, s.revision, s.hash
       FROM service s JOIN environment e ON e.id = s.environment_id WHERE s.revision > 0`,
    )
    return rows
  }

  override async newest(serviceId: string): Promise<EffectiveSnapshot | null> {
    const row = await this.database.prisma.effectiveRevision.findFirst({
      where: { serviceId },
      orderBy: { revision: 'desc' },
    })
    if (row === null || row.effective === null) return null
    const { revision, hash, effective } = row
    return { databaseId: this.database.databaseId, revision, hash, effective }
  }
}
