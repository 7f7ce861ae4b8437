import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { makeOperator, makeToken, signedIn } from '../../testing/people.ts'
import { Housekeeping } from './housekeeping.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true })
})
afterAll(() => app.close())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

test('what is over is removed, what is not stays', async () => {
  const { prisma } = app.database
  const { email, id } = await makeOperator(app, 'viewer')
  await signedIn(app, email)
  await prisma.session.updateMany({ where: { userId: id }, data: { expiresAt: daysAgo(1) } })
  const browser = await signedIn(app, email)
  await prisma.rateLimit.create({
    data: { id: 'old', key: 'old', count: 1, lastRequest: BigInt(Date.now() - 3_600_000) },
  })
  const tokens = [await makeToken(app, 'viewer'), await makeToken(app, 'viewer'), await makeToken(app, 'viewer')]
  const set = (i: number, data: object) => prisma.apiToken.update({ where: { id: tokens[i]!.id }, data })
  await set(0, { revokedAt: daysAgo(31) })
  await set(1, { revokedAt: daysAgo(29) })
  await app.app.get(Housekeeping).run()
  expect(await prisma.session.count()).toBe(1)
  expect((await browser.fetch('GET', '/api/v1/me')).status).toBe(200)
  expect((await prisma.apiToken.findMany()).map((token) => token.id).sort()).toEqual(
    [tokens[1]!.id, tokens[2]!.id].sort(),
  )
  expect(await prisma.rateLimit.findUnique({ where: { id: 'old' } })).toBeNull()
  expect(await prisma.rateLimit.count()).toBeGreaterThan(0)
})

test('a chore that fails stops no other', async () => {
  const errors: unknown[] = []
  let done = 0
  const chore = async () => void done++
  const house = new Housekeeping(
    { forgetOldRefusals: () => Promise.reject(new Error('away')) },
    { forgetDead: async () => ++done },
    { forgetEnded: chore },
    (error) => errors.push(error),
  )
  house.close()
  await house.run()
  expect(errors).toHaveLength(1)
  expect(done).toBe(2)
})
