import { afterAll, beforeAll, describe } from 'vitest'
import { agentStoreContract } from '../../features/agents/agent-store-contract.testkit.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { PrismaAgentStore } from './agents.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
  const { prisma } = weir.database
  const { id } = await prisma.environment.create({ data: { name: 'prod' } })
  for (const name of ['orders', 'payments']) await prisma.service.create({ data: { name, environmentId: id } })
})
afterAll(() => weir.close())

describe('the agent store in PostgreSQL', () => {
  agentStoreContract(async () => {
    const { database } = weir
    await database.pool.query('DELETE FROM agent')
    await database.pool.query('DELETE FROM receipt')
    await database.pool.query('UPDATE service SET revision = 0, hash = NULL')
    const publish = async (revision: number, hash: string) => {
      await database.prisma.service.updateMany({ where: { name: 'orders' }, data: { revision, hash } })
    }
    const [store, other] = [new PrismaAgentStore(database, 'one'), new PrismaAgentStore(database, 'another')]
    return { store, other, databaseId: database.databaseId, publish }
  })
})
