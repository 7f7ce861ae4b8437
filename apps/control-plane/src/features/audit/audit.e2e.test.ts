import { API, type Audit, type Page } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { AuditLog } from './audit-log.ts'

let app: TestApp
let audit: AuditLog
beforeAll(async () => {
  app = await startTestApp()
  audit = app.app.get(AuditLog)
  for (let i = 0; i < 5; i++)
    await audit.write({ actor: 'ada', action: 'policy.publish', service: `service-${i}`, detail: { revision: i } })
})
afterAll(() => app.close())

test('the audit is read page by page, the newest first', async () => {
  const seen: Audit[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `${API}/audit?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body } = (await app.call('GET', path)) as { body: Page<Audit> }
    seen.push(...body.items)
    cursor = body.next
  }
  const published = seen.filter((entry) => entry.action === 'policy.publish')
  expect(published.map((entry) => entry.service)).toEqual([4, 3, 2, 1, 0].map((i) => `service-${i}`))
  expect(published[0]).toMatchObject({ actor: 'ada', environment: null, target: null, detail: { revision: 4 } })
})

test('it is searched in what names things, and a cursor that is not ours is refused', async () => {
  const found = await app.call('GET', `${API}/audit?search=SERVICE-3`)
  expect(found.body.items).toMatchObject([{ service: 'service-3' }])
  for (const cursor of ['x', '-1', '1e3', '1234567890123456789012'])
    expect((await app.call('GET', `${API}/audit?cursor=${cursor}`)).status).toBe(400)
})

test('the database itself refuses to change or remove an entry', async () => {
  const { pool } = app.database
  await expect(pool.query("UPDATE audit SET actor = 'eve'")).rejects.toThrow('append-only')
  await expect(pool.query('DELETE FROM audit')).rejects.toThrow('append-only')
  await expect(pool.query('TRUNCATE audit')).rejects.toThrow('append-only')
})

test('only refusals of access are forgotten, after thirty days', async () => {
  const insert = (action: string, days: number) =>
    app.database.pool.query(
      "INSERT INTO audit (actor, action, at) VALUES ('x', $1, now() - make_interval(days => $2))",
      [action, days],
    )
  await insert('refused.token', 31)
  await insert('refused.token', 29)
  await insert('operator.create', 31)
  expect(await audit.forgetOldRefusals()).toBe(1)
  const left = await app.database.prisma.audit.findMany({ where: { actor: 'x' }, orderBy: { id: 'asc' } })
  expect(left.map((row) => row.action)).toEqual(['refused.token', 'operator.create'])
})
