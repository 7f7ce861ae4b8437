import type { AgentKeys } from '../keys/agent-keys.ts'
import type { Policies } from '../policies/policies.service.ts'
import { type PolicyStore, policyTag } from '../policies/policy-store.ts'
import type { Result } from '../result.ts'
import type { Catalog } from '../services/catalog.ts'

/** Where the control plane's own figures are seen. */
export const SELF = { environment: 'weir', service: 'control-plane' } as const
const AUTHOR = 'control plane'

/** What the control plane's gates obey until somebody edits it: one sender holds at most three quarters of ingest, spans are shed before figures, operators' writes never. */
const SELF_POLICY = `gates:
  ingest:
    edge: true
    concurrency: 256
    queue: { maxWaitMs: 1000, maxItems: 1000 }
    classes: { highest: critical }
    signals: { eventLoopDelayMs: { open: 250, close: 100 } }
    retryAfter: { minMs: 1000, maxMs: 5000 }
  queries:
    edge: true
    concurrency: 64
    queue: { maxWaitMs: 3000, maxItems: 500 }
    retryAfter: { minMs: 1000, maxMs: 3000 }
  changes: { mode: observe, edge: true, concurrency: 64 }
  push: { mode: observe, edge: true, concurrency: 256 }
tenants:
  default: { concurrency: 192 }
`

export interface SelfPorts {
  readonly catalog: Catalog
  readonly policies: Policies
  readonly store: PolicyStore
  readonly keys: AgentKeys
}

/**
 * Makes the control plane a service like any other, once there is an environment of somebody's, and a key for this replica, whose former one is revoked.
 * `null`: there is no environment yet. Rejects while the database is away.
 */
export const ownKey = async (
  { catalog, policies, store, keys }: SelfPorts,
  replica: string,
): Promise<string | null> => {
  const { items } = await catalog.environments({ after: null, limit: 2 })
  if (!items.some(({ name }) => name !== SELF.environment)) return null
  made(await catalog.createEnvironment(SELF.environment, AUTHOR))
  made(await catalog.createService(SELF, AUTHOR))
  const current = await store.current(SELF)
  if (current.ok && current.value.version === 0) {
    const reason = 'What the control plane begins with: to be edited like any other.'
    const write = { expected: { kind: 'one-of', tags: [policyTag(0)] } as const, author: AUTHOR, reason }
    made(await policies.publish(SELF, { document: SELF_POLICY, format: 'yaml' }, write))
  }
  const name = `replica ${replica}`
  const former = await keys.list(SELF.environment, { after: null, limit: 1_000, search: name })
  if (former.ok)
    for (const key of former.value.items)
      if (key.name === name && key.revokedAt === null) await keys.revoke(SELF.environment, key.id, AUTHOR)
  const key = await keys.create(SELF.environment, { kind: 'agent', name, services: [SELF.service] }, AUTHOR)
  if (!key.ok) throw new Error(key.refusal.detail)
  return key.value.secret
}

/** It may be there already: another replica made it. */
const made = (result: Result<unknown>): void => {
  if (!result.ok && result.refusal.code !== 'conflict' && result.refusal.code !== 'precondition-failed')
    throw new Error(result.refusal.detail)
}
