import pg from 'pg'
import { expect, test } from 'vitest'
import { startTestApp } from '../testing/harness.ts'
import { SERVER } from '../testing/server.ts'

test('while the database is away the control plane lives, says so, and goes on by itself afterwards', async () => {
  const weir = await startTestApp({ environment: { LOG_LEVEL: 'silent' } })
  const name = new URL(weir.databaseUrl).pathname.slice(1)
  const admin = new pg.Client({ connectionString: process.env[SERVER] ?? '' })
  await admin.connect()
  try {
    await weir.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    for (const answer of await Promise.all([
      weir.call('GET', '/api/v1/environments'),
      weir.call('POST', '/api/v1/environments', { body: { name: 'other' } }),
      weir.call('GET', '/readyz'),
    ]))
      expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' })
    expect((await weir.call('GET', '/healthz')).status).toBe(200)
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await expect.poll(async () => (await weir.call('GET', '/readyz')).status).toBe(200)
    expect((await weir.call('GET', '/api/v1/environments')).body.items).toHaveLength(1)
  } finally {
    await admin.end()
    await weir.close()
  }
})
