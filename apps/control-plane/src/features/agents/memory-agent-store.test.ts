import { BUILT_IN_POLICY } from '@weir/policy/model'
import { describe } from 'vitest'
import { agentStoreContract } from './agent-store-contract.testkit.ts'
import { MemoryAgentStore } from './memory-agent-store.testkit.ts'
import { pushedPolicy } from './pushed-policy.ts'

describe('the agent store in memory', () => {
  agentStoreContract(async () => {
    const store = new MemoryAgentStore()
    const serviceId = store.addService({ environment: 'prod', service: 'orders' })
    store.addService({ environment: 'prod', service: 'payments' })
    const databaseId = 'b1a7c0de-0000-4000-8000-000000000001'
    store.databaseId = databaseId
    const publish = async (revision: number, hash: string) => {
      store.policies.set(
        serviceId,
        pushedPolicy({ databaseId, revision, hash }, { policy: BUILT_IN_POLICY, quotas: {} }),
      )
    }
    return { store, other: store.of('another'), databaseId, publish }
  })
})
