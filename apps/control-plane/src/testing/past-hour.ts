import { DURATION_BOUNDS_S } from '@weir/wire/model'
import pg from 'pg'
import { makeAhead } from '../adapters/prisma/outcomes-partitions.ts'

const SECONDS = 3_600

const WORK = `second, $3, $4, 'gate', 'checkout', cut, label, true,
  part * (400 + 40 * sin(second / 30.0)), part * 120, part * (270 + 40 * sin(second / 30.0)), part * 8, part * 2, part * 112, part * 3, part * 4, part, 0, 0, 0,
  NULL, NULL, NULL, NULL, 40, 30 + 8 * sin(second / 50.0), 1, 6, NULL, NULL, 1, 900 + 300 * sin(second / 20.0), 1, $5::float8[], $5::float8[]`
const CALLS = `second, $3, $4, 'dependency', 'payments', 'total', '', false,
  NULL, NULL, 3, NULL, NULL, 112, 1, 4, 2, NULL, NULL, NULL,
  120, 130, 8, 0, NULL, NULL, NULL, NULL, 22 + 6 * sin(second / 40.0), 60, 1, NULL, NULL, $5::float8[], $5::float8[]`

const COLUMNS = `step, second, environment, service, kind, name, cut, label, edge,
  offered, accepted, shed, expired, cancelled_waiting, completed, late, failed, cancelled, abandoned, ignored, would_shed,
  calls, attempts, retries, fallbacks, limit_integral, active_integral, zombies_integral, waiting_integral,
  in_flight_integral, ceiling_integral, gauge_seconds, oldest_age_ms, level, wait_counts, duration_counts`

const CUTS = `(VALUES ('total', '', 1.0), ('class', 'critical', 0.2), ('class', 'sheddable', 0.8), ('tenant', 'acme', 0.6), ('tenant', 'umbrella', 0.4),
  ('reason', 'limit-reached', 0.5), ('reason', 'would-be-late', 0.3), ('reason', 'queue-timeout', 0.2)) AS cuts (cut, label, part)`

/** Writes an hour of one service into the roll-ups of a second: what its agents would have sent, had anybody waited an hour for a measurement. */
export const writePastHour = async (databaseUrl: string, environment: string, service: string): Promise<void> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const now = Math.floor(Date.now() / 1_000)
    for (let back = SECONDS; back >= 0; back -= 600) await makeAhead(pool, now - back)
    const counts = DURATION_BOUNDS_S.map((bound) => (bound > 0.04 && bound < 0.5 ? 15 : 0))
    const values = [now - SECONDS, now - 1, environment, service, [...counts, 0]]
    const from = 'generate_series($1::bigint, $2::bigint) AS second'
    await pool.query(
      `INSERT INTO outcome (${COLUMNS}) SELECT 1, ${WORK} FROM ${from}, ${CUTS} ON CONFLICT DO NOTHING`,
      values,
    )
    await pool.query(`INSERT INTO outcome (${COLUMNS}) SELECT 1, ${CALLS} FROM ${from} ON CONFLICT DO NOTHING`, values)
  } finally {
    await pool.end()
  }
}
