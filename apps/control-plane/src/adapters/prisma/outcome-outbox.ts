import type pg from 'pg'
import type { Window } from '../../features/outcomes/window.ts'
import { dropOld } from './outcomes-partitions.ts'
import { TAKE_WINDOWS } from './outcomes-sql.ts'
import { inTransaction } from './transaction.ts'

/** What is still to be told to where figures are kept. */
export interface Errand {
  readonly id: string
  readonly body: Uint8Array
}

/** Windows that were taken, and what was made of them until the engine has it: both in one transaction, so that neither is without the other. */
export class OutcomeOutbox {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Takes the windows that are new. `bodyOf` is called once with them; `null` leaves nothing to be told. Durable when it resolves. */
  async put(
    windows: readonly Window[],
    bodyOf: (fresh: readonly Window[]) => Uint8Array | null,
  ): Promise<Errand | null> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<{ id: string }>(TAKE_WINDOWS, [windows.map(({ id }) => id)])
      const ids = new Set(rows.map(({ id }) => id.replaceAll('-', '')))
      const body = bodyOf(windows.filter(({ id }) => ids.has(id)))
      if (body === null) return null
      const { rows: put } = await client.query<{ id: string }>(
        'INSERT INTO outcome_outbox (windows, body) VALUES ($1, $2) RETURNING id',
        [[...ids], Buffer.from(body)],
      )
      return { id: put[0]?.id ?? '', body }
    })
  }

  /** The oldest that has waited for so long; 0 = the oldest, also where its time was rounded up to one that is not yet. */
  async oldest(waitedSeconds: number): Promise<Errand | null> {
    const { rows } = await this.#pool.query<{ id: string; body: Buffer }>(
      `SELECT id, body FROM outcome_outbox WHERE $1::float8 = 0 OR created_at <= now() - $1 * interval '1 s' ORDER BY id LIMIT 1`,
      [waitedSeconds],
    )
    return rows[0] ?? null
  }

  /** The engine has it. */
  async done({ id }: Errand): Promise<void> {
    await this.#pool.query('DELETE FROM outcome_outbox WHERE id = $1', [id])
  }

  /** The engine will never have it: its windows are unknown again, for whoever still has them. */
  async takeBack({ id }: Errand): Promise<void> {
    await this.#pool.query(
      `WITH gone AS (DELETE FROM outcome_outbox WHERE id = $1 RETURNING windows)
      DELETE FROM outcome_window WHERE id IN (SELECT unnest(windows) FROM gone)`,
      [id],
    )
  }

  /** Forgets old windows, and figures that were kept here before there was an engine. */
  async forgetOld(nowS: number): Promise<void> {
    await dropOld(this.#pool, nowS)
  }
}
