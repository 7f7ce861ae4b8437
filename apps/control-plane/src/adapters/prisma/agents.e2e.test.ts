import { afterAll, beforeAll, describe } from 'vitest'
import { agentStoreContract } from '../../features/agents/agent-store-contract.testkit.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { PrismaAgentStore } from './agents.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

describe('the agent store in PostgreSQL', () => {
  agentStoreContract(async () => {
    const { database } = weir
    await database.pool.query('TRUNCATE environment, service, agent, receipt CASCADE')
    const { id } = await database.prisma.environment.create({ data: { name: 'prod' } })
    for (const name of ['orders', 'payments'])
      await database.prisma.service.create({ data: { name, environmentId: id } })
    const publish = async (revision: number, hash: string) => {
      await database.prisma.service.updateMany({ where: { name: 'orders' }, data: { revision, hash } })
    }
    const [store, other] = [new PrismaAgentStore(database, 'one'), new PrismaAgentStore(database, 'another')]
    return { store, other, databaseId: database.databaseId, publish }
  })
})
