import type pg from 'pg'
import { STEPS } from '../../features/outcomes/outcome-store.ts'
import { inTransaction } from './transaction.ts'

/** Length of a partition, seconds: each resolution has a dozen or a few more of them. */
const PARTITION_SECONDS = { 1: 600, 10: 10_800, 60: 259_200 } as const
/** Windows that a returning agent sends are booked this far back, seconds, rounded up. */
const BACK_SECONDS = 1_200
/** Windows are known for this long; agents re-send for ten minutes. */
const WINDOW_MINUTES = 30
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"
/** Everybody who reads or writes waits behind who makes a partition, and that behind the longest query. */
const MAKE_TIMEOUT = "SET LOCAL lock_timeout = '10s'"

/** `IF NOT EXISTS` and `IF EXISTS` do not help two replicas that make or drop one partition at the same moment; this does, to the end of the transaction. */
const oneAtATime = (client: pg.ClientBase): Promise<unknown> => client.query('SELECT pg_advisory_xact_lock(7235873003)')

/** PostgreSQL's code where there is no partition for a row. */
const CHECK_VIOLATION = '23514'

/**
 * Makes partitions before they are written to. `make` returns until when that is enough, seconds. Upkeep makes them in time; a write that meets none makes
 * them itself: the first one, or where they were dropped by a replica whose clock is well ahead, or by this one before its clock was set back.
 */
export class Ahead {
  readonly #make: (nowS: number) => Promise<number>
  #untilS = 0

  constructor(make: (nowS: number) => Promise<number>) {
    this.#make = make
  }

  async prepare(nowS: number): Promise<void> {
    if (nowS >= this.#untilS) this.#untilS = await this.#make(nowS)
  }

  /** `work` is done once more where a partition was missing. */
  async during<T>(nowS: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== CHECK_VIOLATION) throw error
      this.#untilS = await this.#make(nowS)
      return work()
    }
  }
}

/** Makes the partitions that may be written soon, two of each resolution ahead. Returns until when that is enough, seconds. */
export const makeAhead = async (pool: pg.Pool, nowS: number): Promise<number> => {
  let enough = Infinity
  for (const { step } of STEPS) {
    const length = PARTITION_SECONDS[step]
    const last = Math.floor(nowS / length) + 2
    await makePartitions(pool, `outcome_${step}s`, length, Math.floor((nowS - BACK_SECONDS) / length), last)
    enough = Math.min(enough, last * length)
  }
  return enough
}

/**
 * Partitions of a table, the `first`th to the `last`th of so many seconds each; the second that one begins with names it. In a transaction of its own: who
 * holds one table and waits for the next deadlocks with a write into both.
 */
export const makePartitions = (
  pool: pg.Pool,
  table: string,
  seconds: number,
  first: number,
  last: number,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    await oneAtATime(client)
    await client.query(MAKE_TIMEOUT)
    for (let from = first * seconds; from <= last * seconds; from += seconds)
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${table}_${from} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${from + seconds})`,
      )
  })

/** Drops the identities of old windows, by the database's own clock, and partitions of which every bucket is older than it is kept. */
export const dropOld = async (pool: pg.Pool, nowS: number): Promise<void> => {
  await pool.query(`DELETE FROM outcome_window WHERE received_at < now() - interval '${WINDOW_MINUTES} min'`)
  for (const { step, keepSeconds } of STEPS)
    await dropPartitions(pool, `outcome_${step}s`, PARTITION_SECONDS[step], nowS - keepSeconds)
}

/** Drops the partitions of a table, named by the second that they begin with, that end before `beforeS`. */
export const dropPartitions = async (
  pool: pg.Pool,
  table: string,
  lengthSeconds: number,
  beforeS: number,
): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass',
    [table],
  )
  for (const { name } of rows) {
    const start = Number(name.slice(name.lastIndexOf('_') + 1))
    if (start + lengthSeconds < beforeS)
      await inTransaction(pool, async (client) => {
        await client.query(LOCK_TIMEOUT)
        await oneAtATime(client)
        await client.query(`DROP TABLE IF EXISTS ${name}`)
      })
  }
}
