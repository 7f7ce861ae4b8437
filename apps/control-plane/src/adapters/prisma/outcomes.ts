import { Injectable } from '@nestjs/common'
import type { PeakColumn, SumColumn } from '../../features/outcomes/columns.ts'
import {
  type OutcomeQuery,
  type OutcomeSlice,
  OutcomeStore,
  type SheddingSecond,
  STEPS,
} from '../../features/outcomes/outcome-store.ts'
import { coarsen, type Rows } from '../../features/outcomes/roll-up.ts'
import type { Window } from '../../features/outcomes/window.ts'
import { Database } from './database.ts'
import { Ahead, dropOld, makeAhead } from './outcomes-partitions.ts'
import * as sql from './outcomes-sql.ts'
import { inTransaction } from './transaction.ts'

type FiguresRow = Record<SumColumn | PeakColumn, number | null>
interface BucketRow extends FiguresRow {
  second: string
  label: string
}

/** Roll-ups in PostgreSQL. */
@Injectable()
export class PrismaOutcomeStore extends OutcomeStore {
  readonly #ahead: Ahead

  constructor(private readonly database: Database) {
    super()
    this.#ahead = new Ahead((nowS) => makeAhead(database.pool, nowS))
  }

  override async write(
    windows: readonly Window[],
    rollUp: (fresh: readonly Window[]) => Rows,
    nowMs: number,
  ): Promise<Rows> {
    return this.#ahead.during(nowMs / 1000, () => this.#add(windows, rollUp))
  }

  #add(windows: readonly Window[], rollUp: (fresh: readonly Window[]) => Rows): Promise<Rows> {
    return inTransaction(this.database.pool, async (client) => {
      const { rows: taken } = await client.query<{ id: string }>(sql.TAKE_WINDOWS, [windows.map(({ id }) => id)])
      const ids = new Set(taken.map(({ id }) => id.replaceAll('-', '')))
      const rows = rollUp(windows.filter(({ id }) => ids.has(id)))
      if (rows.size > 0) {
        const json = STEPS.flatMap(({ step }) =>
          [...(step === 1 ? rows : coarsen(rows.values(), step)).values()].map((row) => sql.rowJson(row, step)),
        )
        await client.query({ name: 'outcome-add-rows', text: sql.ADD_ROWS, values: [JSON.stringify(json)] })
      }
      return rows
    })
  }

  override async query(query: OutcomeQuery): Promise<OutcomeSlice> {
    const { pool } = this.database
    const { rows: labels } = await pool.query<{ label: string }>(sql.heaviest(query))
    const kept = labels.slice(0, labels.length > query.maxSeries ? query.maxSeries - 1 : query.maxSeries)
    const [{ rows }, { rows: heard }, { rows: total }] = await Promise.all([
      pool.query<BucketRow>(
        sql.figuresByBucket(
          query,
          kept.map(({ label }) => label),
        ),
      ),
      pool.query<{ second: string }>(sql.heardBuckets(query)),
      pool.query<FiguresRow>(sql.totalFigures(query)),
    ])
    return {
      rows: rows.map((row) => ({ second: Number(row.second), label: row.label, figures: sql.figuresOf({ ...row }) })),
      heard: heard.map(({ second }) => Number(second)),
      total: sql.figuresOf(total[0]),
    }
  }

  override async shedding(environments: readonly string[], from: number, to: number): Promise<SheddingSecond[]> {
    const { rows } = await this.database.pool.query<Omit<SheddingSecond, 'second'> & { second: string }>(sql.SHEDDING, [
      environments,
      from,
      to,
    ])
    return rows.map((row) => ({ ...row, second: Number(row.second) }))
  }

  override async maintain(nowMs: number): Promise<void> {
    await this.#ahead.prepare(nowMs / 1000)
    await dropOld(this.database.pool, nowMs / 1000)
  }
}
