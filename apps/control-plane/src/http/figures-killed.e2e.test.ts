import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { buildControlPlane, startProcess } from '../testing/process.ts'

/** Processes start slowly where many tests share a machine. */
vi.setConfig({ testTimeout: 240_000 })

beforeAll(() => buildControlPlane())

const SENDERS = 8
const WINDOWS = 40

test('killed while figures stream in, it lost nothing that was acknowledged and doubles nothing that is sent again', async () => {
  const { url: databaseUrl, drop } = await freshDatabase()
  const first = await startProcess({ DATABASE_URL: databaseUrl }, tmpdir())
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const secret = `weir_${'k'.repeat(43)}`
  const hash = createHash('sha256').update(secret).digest('hex')
  await client.query(
    `WITH e AS (INSERT INTO environment (name) VALUES ('prod') RETURNING id),
       s AS (INSERT INTO service (environment_id, name) SELECT id, 'orders' FROM e)
     INSERT INTO agent_key (environment_id, kind, name, services, prefix, hash, created_by) SELECT id, 'agent', 't', '{orders}', 'weir_', $1, 't' FROM e`,
    [hash],
  )
  let url = first.url
  let acknowledged = 0
  let failed = 0
  const export1 = async (sender: number, sequence: number, now: number): Promise<boolean> => {
    const window = {
      resource: { 'service.instance.id': `i${sender}`, 'weir.boot': 'b', 'weir.sequence': sequence },
      startMs: now - 1_000,
      endMs: now,
      counters: [['weir.gate.offered', sequence + 1, { 'weir.gate': 'checkout', 'weir.class': 'critical' }]] as const,
    }
    const answer = await fetch(`${url}/v1/metrics`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(metricsJson(window)),
    }).catch(() => null)
    return answer?.status === 200
  }
  let restarted: () => void = () => {}
  const back = new Promise<void>((resolve) => {
    restarted = resolve
  })
  let killed: Promise<unknown> | null = null
  const send = async (sender: number) => {
    for (let sequence = 0; sequence < WINDOWS; sequence++) {
      const now = Date.now()
      while (!(await export1(sender, sequence, now))) {
        failed++
        await back
      }
      acknowledged++
      if (acknowledged === (SENDERS * WINDOWS) / 2) killed = first.end('SIGKILL')
    }
  }
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)))
  await vi.waitUntil(() => killed !== null, { timeout: 120_000 })
  await killed
  const { rows: taken } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM outcome_window')
  expect(taken[0]?.n).toBeGreaterThanOrEqual((SENDERS * WINDOWS) / 2)
  const second = await startProcess({ DATABASE_URL: databaseUrl }, tmpdir())
  url = second.url
  restarted()
  await senders
  expect(failed).toBeGreaterThan(0)
  const { rows } = await client.query(
    `SELECT step, sum(offered)::int AS offered FROM outcome WHERE cut = 'total' GROUP BY step ORDER BY step`,
  )
  const offered = (SENDERS * WINDOWS * (WINDOWS + 1)) / 2
  expect(rows).toEqual([1, 10, 60].map((step) => ({ step, offered })))
  expect((await client.query('SELECT count(*)::int AS n FROM outcome_window')).rows).toEqual([{ n: SENDERS * WINDOWS }])
  await client.end()
  await second.end('SIGTERM')
  await drop()
})
