import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Weir } from '@weir/agent'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { startProcess } from '../testing/process.ts'
import { freePort } from '../testing/sinks.ts'

/** Processes start slowly where many tests share a machine. */
vi.setConfig({ testTimeout: 240_000 })

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

/** What the load generator saw of one tenant's work, in the words of the figures. */
type Ledger = Record<string, Record<string, number>>

test('killed in the middle of a load, every unit that the generator saw is in the figures, by outcome, tenant and reason', async () => {
  const { url: databaseUrl, drop } = await freshDatabase()
  const environment = { DATABASE_URL: databaseUrl, PORT: String(await freePort()) }
  const first = await startProcess(environment, tmpdir())
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const secret = `weir_${'r'.repeat(43)}`
  await client.query(
    `WITH e AS (INSERT INTO environment (name) VALUES ('prod') RETURNING id),
       s AS (INSERT INTO service (environment_id, name) SELECT id, 'orders' FROM e)
     INSERT INTO agent_key (environment_id, kind, name, services, prefix, hash, created_by) SELECT id, 'agent', 't', '{orders}', 'weir_', $1, 't' FROM e`,
    [createHash('sha256').update(secret).digest('hex')],
  )
  const agents = await Promise.all(
    ['one', 'two', 'three'].map((instance) =>
      Weir.start({
        controlPlane: first.url.replace('http', 'ws'),
        key: secret,
        instance,
        snapshotDir: false,
        mode: 'enforce',
      }),
    ),
  )
  const tenants: Ledger = {}
  const saw = (tenant: string, ...outcomes: string[]) => {
    tenants[tenant] ??= {}
    const ledger = tenants[tenant]
    for (const outcome of outcomes) ledger[outcome] = (ledger[outcome] ?? 0) + 1
  }
  let pieces = 0
  /** One piece of work, ended in one of the ways that work ends. */
  const work = () => {
    const i = pieces++
    const tenant = `t${i % 5}`
    const agent = agents[i % agents.length] as Weir
    const entry = agent.gate('checkout').tryAcquire({ tenant, deadlineMs: i % 7 === 0 ? 0 : 60_000 })
    if (!entry.accepted) return saw(tenant, 'offered', 'expired')
    const ending = i % 4
    if (ending === 0) entry.failure()
    else if (ending === 1) entry.ignored()
    else entry.success()
    return saw(
      tenant,
      'offered',
      'accepted',
      ending === 0 ? 'failed' : 'completed',
      ...(ending === 1 ? ['ignored'] : []),
    )
  }
  const load = setInterval(() => {
    for (let i = 0; i < 20; i++) work()
  }, 20)
  const kept = async () => (await client.query('SELECT count(*)::int AS n FROM outcome_window')).rows[0]?.n ?? 0
  await vi.waitUntil(async () => (await kept()) > 3, { timeout: 60_000 })
  await first.end('SIGKILL')
  const killedAt = pieces
  await vi.waitUntil(() => pieces > killedAt + 2_000, { timeout: 60_000 })
  const second = await startProcess(environment, tmpdir())
  const before = await kept()
  await vi.waitUntil(async () => (await kept()) > before + 3, { timeout: 90_000 })
  clearInterval(load)
  await Promise.all(agents.map((agent) => agent.close()))
  const figures = ['offered', 'accepted', 'completed', 'failed', 'ignored', 'expired'] as const
  const shown = async (step: number): Promise<Ledger> => {
    const { rows } = await client.query(
      `SELECT label, ${figures.map((figure) => `coalesce(sum(${figure}), 0)::int AS ${figure}`).join(', ')}
       FROM outcome WHERE step = $1 AND cut = 'tenant' AND service = 'orders' GROUP BY label`,
      [step],
    )
    return Object.fromEntries(rows.map(({ label, ...sums }) => [label, sums]))
  }
  await expect.poll(() => shown(1), { timeout: 30_000 }).toEqual(tenants)
  expect(await shown(10)).toEqual(tenants)
  expect(await shown(60)).toEqual(tenants)
  const { rows } = await client.query(
    `SELECT label, sum(expired)::int AS n FROM outcome WHERE step = 60 AND cut = 'reason' GROUP BY label`,
  )
  const expired = Object.values(tenants).reduce((sum, ledger) => sum + (ledger.expired ?? 0), 0)
  expect(rows).toEqual([{ label: 'expired-on-arrival', n: expired }])
  await client.end()
  await second.end('SIGTERM')
  await drop()
})
