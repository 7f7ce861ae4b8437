import pg from 'pg'
import { expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { browserOf, makeOperator, PASSWORD } from '../testing/people.ts'
import { SERVER } from '../testing/server.ts'

/** Runs `meanwhile` while nobody reaches the database of this control plane, and lets everybody in again. */
const away = async (weir: TestApp, meanwhile: () => Promise<void>): Promise<void> => {
  const name = new URL(weir.databaseUrl).pathname.slice(1)
  const admin = new pg.Client({ connectionString: process.env[SERVER] ?? '' })
  await admin.connect()
  try {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await meanwhile()
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await expect.poll(async () => (await weir.call('GET', '/readyz')).status).toBe(200)
  } finally {
    await admin.end()
  }
}

test('while the database is away the control plane lives, says so, and goes on by itself afterwards', async () => {
  const weir = await startTestApp({ environment: { LOG_LEVEL: 'silent' } })
  try {
    await weir.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
    await away(weir, async () => {
      for (const answer of await Promise.all([
        weir.call('GET', '/api/v1/environments'),
        weir.call('POST', '/api/v1/environments', { body: { name: 'other' } }),
        weir.call('GET', '/readyz'),
      ])) {
        expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' })
        expect(answer.headers.get('retry-after')).toBe('1')
      }
      expect((await weir.call('GET', '/healthz')).status).toBe(200)
    })
    expect((await weir.call('GET', '/api/v1/environments')).body.items).toHaveLength(1)
  } finally {
    await weir.close()
  }
})

test('who signs in while the database is away is told to come again, not that the password is wrong', async () => {
  const weir = await startTestApp({ realIdentity: true, environment: { LOG_LEVEL: 'silent' } })
  try {
    const { email } = await makeOperator(weir, 'viewer')
    const body = { email, password: PASSWORD }
    const signIn = () => browserOf(weir).fetch('POST', '/api/auth/sign-in/email', { body })
    await away(weir, async () => {
      const answer = await signIn()
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await answer.json()).toMatchObject({ code: 'unavailable' })
    })
    expect((await signIn()).status).toBe(204)
  } finally {
    await weir.close()
  }
})
