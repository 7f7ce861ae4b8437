import { Injectable } from '@nestjs/common'
import type pg from 'pg'
import {
  type DecisionFilter,
  type DecisionPlace,
  DecisionStore,
  type StoredDecision,
} from '../../features/decisions/decision-store.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { Database } from './database.ts'
import { Ahead, dropPartitions, makePartitions } from './outcomes-partitions.ts'

const KEPT_SECONDS = 86_400
const PARTITION_SECONDS = 7_200
/** Spans that are late are booked this far back. */
const BACK_SECONDS = 60

const COLUMNS = [
  'id',
  'at',
  'environment',
  'service',
  'instance',
  'kind',
  'name',
  'outcome',
  'reason',
  'signal',
  'retry_after_ms',
  'revision',
  'class',
  'tenant',
  'route',
  'waited_ms',
  'stands_for',
  'trace_id',
  'inputs',
].join(', ')

const ADD = `INSERT INTO decision (second, ${COLUMNS})
SELECT second, ${COLUMNS} FROM json_populate_recordset(NULL::decision, $1::json) ON CONFLICT DO NOTHING`

const FILTERS = ['service', 'kind', 'name', 'reason', 'class', 'tenant', 'instance'] as const

type Row = Omit<StoredDecision, 'at' | 'retryAfterMs' | 'waitedMs' | 'standsFor' | 'traceId'> & {
  at: Date
  retry_after_ms: number | null
  waited_ms: number
  stands_for: number
  trace_id: string
}

const secondOf = (at: string): number => Math.floor(Date.parse(at) / 1_000)

/** Sampled refusals in PostgreSQL, in partitions of two hours. */
@Injectable()
export class PrismaDecisionStore extends DecisionStore {
  readonly #ahead: Ahead

  constructor(private readonly database: Database) {
    super()
    this.#ahead = new Ahead((nowS) => makeAhead(database.pool, nowS))
  }

  override async add(decisions: readonly StoredDecision[], nowMs: number): Promise<void> {
    const rows = decisions.map(({ retryAfterMs, waitedMs, standsFor, traceId, ...same }) => ({
      ...same,
      second: secondOf(same.at),
      retry_after_ms: retryAfterMs,
      waited_ms: waitedMs,
      stands_for: standsFor,
      trace_id: traceId,
    }))
    await this.#ahead.during(nowMs / 1_000, () => this.database.pool.query(ADD, [JSON.stringify(rows)]))
  }

  override async list(filter: DecisionFilter, page: PageRequest<DecisionPlace>): Promise<Rows<StoredDecision>> {
    const values: unknown[] = [filter.environment]
    const put = (value: unknown): string => `$${values.push(value)}`
    const where = ['environment = $1']
    for (const column of FILTERS) if (filter[column] !== undefined) where.push(`${column} = ${put(filter[column])}`)
    if (filter.from !== undefined) where.push(`at >= ${put(filter.from)}`, `second >= ${put(secondOf(filter.from))}`)
    if (filter.to !== undefined) where.push(`at < ${put(filter.to)}`, `second <= ${put(secondOf(filter.to))}`)
    if (page.after !== null) {
      where.push(`(at, id) < (${put(page.after.at)}, ${put(page.after.id)})`)
      where.push(`second <= ${put(secondOf(page.after.at))}`)
    }
    const { rows } = await this.database.pool.query<Row>(
      `SELECT ${COLUMNS} FROM decision WHERE ${where.join(' AND ')} ORDER BY second DESC, at DESC, id DESC LIMIT ${put(page.limit + 1)}`,
      values,
    )
    return rowsOf(rows, page.limit, ({ at, retry_after_ms, waited_ms, stands_for, trace_id, ...same }) => ({
      ...same,
      at: at.toISOString(),
      retryAfterMs: retry_after_ms,
      waitedMs: waited_ms,
      standsFor: stands_for,
      traceId: trace_id,
    }))
  }

  override async maintain(nowMs: number): Promise<void> {
    const nowS = nowMs / 1_000
    await this.#ahead.prepare(nowS)
    await dropPartitions(this.database.pool, 'decision', PARTITION_SECONDS, nowS - KEPT_SECONDS)
  }
}

/** Returns until when that is enough, seconds. */
const makeAhead = async (pool: pg.Pool, nowS: number): Promise<number> => {
  const last = Math.floor(nowS / PARTITION_SECONDS) + 1
  await makePartitions(pool, 'decision', PARTITION_SECONDS, Math.floor((nowS - BACK_SECONDS) / PARTITION_SECONDS), last)
  return last * PARTITION_SECONDS
}
