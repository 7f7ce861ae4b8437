import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeSecret } from './features/access/secret.ts'
import { refusedStart, startProcess } from './testing/process.ts'

/** Processes start slowly where many tests share a machine. */
vi.setConfig({ testTimeout: 240_000 })

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-process-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a start that cannot be says why in one line and ends with a code', async () => {
  const blocked = join(folder, 'blocked')
  await writeFile(blocked, '')
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: String(port) }, /Port \d+ on 127\.0\.0\.1 is taken/],
    [{ DATABASE_URL: 'postgresql://weir@127.0.0.1:1/weir' }, /database at 127\.0\.0\.1:1 cannot be used/],
    [{ WEIR_DATA: blocked }, /a file is in the way/],
    [{ WEIR_DATA: join(blocked, 'deeper') }, /a file is in the way/],
    [{ PORT: 'eighty' }, /PORT/],
    [{ HOST: '0.0.0.0' }, /TRUSTED_PROXIES/],
  ]
  const answers = await Promise.all(cases.map(([environment]) => refusedStart(environment, folder)))
  taken.close()
  for (const [n, { code, output }] of answers.entries()) {
    expect(output).toMatch(cases[n]?.[1] ?? /never/)
    expect([output.trim().split('\n').length, output.startsWith('weir: '), code]).toEqual([1, true, 1])
  }
})

interface Settings {
  readonly port: number
  readonly password: string
}

test('killed while publishing with its own PostgreSQL, it comes back to the same server with every publish that was answered', async () => {
  const data = { WEIR_DATA: join(folder, 'data') }
  const first = await startProcess(data, folder)
  const settings: Settings = JSON.parse(await readFile(join(folder, 'data/postgres/settings.json'), 'utf8'))
  const connectionString = `postgresql://weir:${settings.password}@127.0.0.1:${settings.port}/weir`
  const sql = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    return client.query(text, values).finally(() => client.end())
  }
  const { secret, prefix, hash } = makeSecret('weir_t_')
  await sql(
    `INSERT INTO api_token (name, role, prefix, hash, created_by, expires_at) VALUES ('t', 'admin', $1, $2, 't', now() + interval '1 day')`,
    [prefix, hash],
  )
  const call = async (url: string, method: string, path: string, body?: unknown, tag?: string) =>
    fetch(`${url}/api/v1/environments${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(tag === undefined ? {} : { 'if-match': tag }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  expect((await call(first.url, 'POST', '', { name: 'prod' })).status).toBe(201)
  expect((await call(first.url, 'POST', '/prod/services', { name: 'orders' })).status).toBe(201)
  const document = (n: number) => `gates: { checkout: { concurrency: { floor: 1, initial: ${n}, ceiling: ${n} } } }`
  let answered = 0
  let killed: Promise<unknown> | null = null
  for (let n = 0; n < 100; n++) {
    const answer = await call(
      first.url,
      'POST',
      '/prod/services/orders/policy/publish',
      { document: document(n + 1), reason: `number ${n + 1}` },
      `"policy-${n}"`,
    ).catch(() => null)
    if (answer === null) break
    expect(answer.status).toBe(200)
    answered = n + 1
    if (answered === 20)
      setTimeout(() => {
        killed = first.end('SIGKILL')
      }, 7)
  }
  await killed
  expect(answered).toBeGreaterThanOrEqual(20)
  expect(answered).toBeLessThan(100)

  const second = await startProcess(data, folder)
  expect(JSON.parse(await readFile(join(folder, 'data/postgres/settings.json'), 'utf8'))).toEqual(settings)
  const policy = await call(second.url, 'GET', '/prod/services/orders/policy')
  const state = (await policy.json()) as { version: number; published: unknown }
  expect([answered, answered + 1]).toContain(state.version)
  expect(state.published).toMatchObject({ document: document(state.version), reason: `number ${state.version}` })
  const { rows } = await sql(
    `SELECT s.revision, s.policy_version, (SELECT count(*)::int FROM policy_version) AS versions,
       (SELECT max(revision) FROM effective_revision) AS newest,
       (SELECT count(*)::int FROM audit WHERE action = 'policy.publish') AS audited,
       (SELECT count(*)::int FROM outbox) AS told FROM service s`,
  )
  const n = state.version
  expect(rows).toEqual([{ revision: n, policy_version: n, versions: n, newest: n, audited: n, told: n }])

  const third = await refusedStart(data, folder)
  expect(third).toMatchObject({ code: 1, output: expect.stringContaining('Another control plane') })
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
  expect(await second.end('SIGTERM')).toBe(0)
  await expect(sql('SELECT 1')).rejects.toThrow()
})
