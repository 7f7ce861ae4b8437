import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

test('a running control plane is live and ready', async () => {
  expect((await weir.call('GET', '/healthz', { as: null })).body).toEqual({ status: 'live' })
  expect((await weir.call('GET', '/readyz', { as: null })).status).toBe(200)
})

test('an unknown path is a problem document', async () => {
  const answer = await weir.call('GET', '/api/v1/nothing')
  expect(answer.status).toBe(404)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.body).toMatchObject({ code: 'not-found', status: 404 })
})
