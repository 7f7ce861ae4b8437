import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

test('ranges and steps have bounds, and say which', async () => {
  const ask = async (from: number, to: number, step?: string) => {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(step ? { step } : {}) }
    return (await weir.call('GET', `/api/v1/environments/ranges/outcomes?${new URLSearchParams(range)}`)).body
  }
  const now = Date.now()
  const hour = 3_600_000
  expect((await ask(now - hour / 2, now)).step).toBe(1)
  expect((await ask(now - 3 * hour, now)).step).toBe(10)
  expect((await ask(now - 3 * hour, now - 2.9 * hour)).step).toBe(10)
  expect((await ask(now - 24 * hour, now)).step).toBe(60)
  const month = await ask(now - 30 * 24 * hour, now)
  expect(month.step).toBe(720)
  for (const [path, body] of [
    ['to', await ask(now, now - 1)],
    ['from', await ask(now - 32 * 24 * hour, now)],
    ['step', await ask(now - 2 * hour, now, '1')],
  ])
    expect(body).toMatchObject({ status: 400, code: 'invalid', errors: [{ path }] })
  expect((await weir.call('GET', '/api/v1/environments/ranges/outcomes', { as: null })).status).toBe(401)
})
