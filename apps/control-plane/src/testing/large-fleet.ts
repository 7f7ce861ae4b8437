import pg from 'pg'
import { makeAhead } from '../adapters/prisma/outcomes-partitions.ts'

interface FleetSize {
  readonly services: number
  readonly agents: number
}

const QUARTER_SECONDS = 900
/** Agents are heard and figures counted ahead of time, so that nobody has to write of 10,000 agents while a page is measured. */
const AHEAD_SECONDS = 1_800

/** `svc-000`, …: every hundredth sheds; the last agent of every hundred refused its policy, the eighth of every 500 is outside of what is counted. */
const SERVICES = `INSERT INTO service (environment_id, name, revision, hash, policy_version, published_at)
  SELECT e.id, 'svc-' || lpad(n::text, 3, '0'), 3, repeat('a', 64), 3, now()
  FROM environment e, generate_series(0, $2::int - 1) AS n WHERE e.name = $1`

const AGENTS = `INSERT INTO agent (service_id, instance, boot, zone, host, pid, agent_version, mode_override, source, connected,
    applied_database_id, applied_revision, applied_hash, receipt_revision, receipt_status, refused, report, last_heard_at)
  SELECT s.id, s.name || '-' || lpad(n::text, 5, '0'), 'boot', 'eu-' || n % 3, 'host-' || n / 8, n, '0.1.0',
    CASE WHEN n % 1000 = 41 THEN 'observe' END, 'stream', true, d.id, 3, repeat('a', 64), 3,
    CASE WHEN n % 100 = 99 THEN 'refused' ELSE 'applied' END,
    CASE WHEN n % 100 = 99 THEN '[{"path": "gates.checkout.concurrency", "message": "Vegas is not known here."}]' ELSE '[]' END::jsonb,
    jsonb_build_object('keyId', '', 'startedAtMs', extract(epoch FROM now()) * 1000, 'uncounted', n % 500 = 7,
      'applied', jsonb_build_object('databaseId', d.id, 'revision', 3, 'hash', repeat('a', 64)),
      'receipt', jsonb_build_object('databaseId', d.id, 'revision', 3, 'hash', repeat('a', 64),
        'status', CASE WHEN n % 100 = 99 THEN 'refused' ELSE 'applied' END,
        'refused', CASE WHEN n % 100 = 99 THEN '[{"path": "gates.checkout.concurrency", "message": "Vegas is not known here."}]' ELSE '[]' END::jsonb),
      'gates', jsonb_build_array(
        jsonb_build_object('name', 'checkout', 'mode', 'enforce', 'limit', 40, 'active', n % 40, 'zombies', 0, 'waiting', 0, 'oldestAgeMs', 0, 'level', 0),
        jsonb_build_object('name', 'search', 'mode', 'enforce', 'limit', 20, 'active', n % 20, 'zombies', 0, 'waiting', 1, 'oldestAgeMs', 3, 'level', 0)),
      'dependencies', jsonb_build_array(
        jsonb_build_object('name', 'bank', 'ceiling', 60, 'inFlight', n % 60, 'breaker', 'closed', 'breakerMode', 'auto', 'budgetLeft', 1)),
      'consumers', '[]'::jsonb), now() + make_interval(secs => ${AHEAD_SECONDS})
  FROM generate_series(0, $3::int - 1) AS n
  JOIN environment e ON e.name = $1 JOIN service s ON s.environment_id = e.id AND s.name = 'svc-' || lpad((n % $2::int)::text, 3, '0'),
    (SELECT database_id AS id FROM installation) AS d`

const FIGURES = `INSERT INTO outcome (step, second, environment, service, kind, name, cut, label, edge, offered, accepted, shed, completed)
  SELECT 10, second, $1, 'svc-' || lpad(n::text, 3, '0'), 'gate', 'checkout', 'total', '', true, 1000, 900, CASE WHEN n % 100 = 0 THEN 100 END, 900
  FROM generate_series(0, $2::int - 1) AS n, generate_series($3::bigint, $4::bigint, 10) AS second ON CONFLICT DO NOTHING`

/** Writes what the database would hold of a fleet whose agents are connected elsewhere. The environment is there, and has no service yet. */
export const writeLargeFleet = async (
  databaseUrl: string,
  environment: string,
  { services, agents }: FleetSize,
): Promise<void> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const now = Math.floor(Date.now() / 10_000) * 10
    for (const at of [now - QUARTER_SECONDS, now, now + AHEAD_SECONDS]) await makeAhead(pool, at)
    await pool.query(SERVICES, [environment, services])
    await pool.query(AGENTS, [environment, services, agents])
    await pool.query(FIGURES, [environment, services, now - QUARTER_SECONDS, now + AHEAD_SECONDS])
  } finally {
    await pool.end()
  }
}
