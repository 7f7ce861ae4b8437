import { Injectable } from '@nestjs/common'
import type { Flaw } from '@weir/api'
import { FlawStore, MOST_TOLD, OFF_SECONDS, type SeenFlaw, TOLD_SECONDS } from '../../features/outcomes/flaw-store.ts'
import { Database } from './database.ts'

/** `since`: when the books went off without a pause of `OFF_SECONDS`. All times are the database's. */
const NOTE = `
  INSERT INTO book_flaw AS f (service_id, instance, gate, book, expected, told, windows)
  SELECT s.id, n.instance, n.gate, n.book, n.expected, n.told, n.windows
  FROM json_to_recordset($1) AS n (environment text, service text, instance text, gate text, book text, expected float8, told float8, windows int)
  JOIN environment e ON e.name = n.environment JOIN service s ON s.environment_id = e.id AND s.name = n.service
  ON CONFLICT (service_id, instance, gate, book) DO UPDATE SET expected = EXCLUDED.expected, told = EXCLUDED.told, windows = f.windows + EXCLUDED.windows,
    since = CASE WHEN f.last_at > now() - ${OFF_SECONDS} * interval '1 s' THEN f.since ELSE now() END, last_at = now()`

const LIST = `
  SELECT s.name AS service, f.instance, f.gate, f.book, f.expected, f.told, f.windows, f.first_at AS "firstAt", f.last_at AS "lastAt",
    f.last_at > now() - ${OFF_SECONDS} * interval '1 s' AS off
  FROM book_flaw f JOIN service s ON s.id = f.service_id JOIN environment e ON e.id = s.environment_id
  WHERE e.name = $1 AND ($2::text IS NULL OR s.name = $2) AND f.last_at > now() - ${TOLD_SECONDS} * interval '1 s'
  ORDER BY f.last_at DESC, f.service_id, f.instance, f.gate, f.book LIMIT ${MOST_TOLD}`

@Injectable()
export class PrismaFlaws extends FlawStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async note(flaws: readonly SeenFlaw[]): Promise<void> {
    if (flaws.length > 0) await this.database.pool.query(NOTE, [JSON.stringify(flaws)])
  }

  override async list(environment: string, service?: string): Promise<readonly Flaw[]> {
    const { rows } = await this.database.pool.query<Flaw & { firstAt: Date; lastAt: Date }>(LIST, [
      environment,
      service ?? null,
    ])
    return rows.map((row) => ({ ...row, firstAt: row.firstAt.toISOString(), lastAt: row.lastAt.toISOString() }))
  }

  override async prune(): Promise<void> {
    await this.database.pool.query(`DELETE FROM book_flaw WHERE last_at < now() - ${TOLD_SECONDS} * interval '1 s'`)
  }
}
