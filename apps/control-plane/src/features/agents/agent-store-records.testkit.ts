import type { AgentRecord } from './agent-record.ts'
import type { AgentStore, StoredAgent } from './agents-port.ts'

export const HASH = 'a'.repeat(64)
export const START = Date.UTC(2027, 0, 15, 8)

export interface StoreUnderTest {
  readonly store: AgentStore
  /** Of another replica over the same rows. */
  readonly other: AgentStore
  readonly databaseId: string
  /** Environment `prod` with `orders` and `payments` is there; publishes a revision of `orders`. */
  publish(revision: number, hash: string): Promise<void>
}

export const record = (databaseId: string, instance: string, rest: Partial<AgentRecord> = {}): AgentRecord => ({
  environment: 'prod',
  service: 'orders',
  instance,
  boot: 'boot',
  keyId: 'key',
  zone: 'eu-1',
  host: 'box',
  pid: 7,
  agentVersion: '0.1.0',
  modeOverride: 'observe',
  source: 'stream',
  applied: { databaseId, revision: 3, hash: HASH },
  receipt: { databaseId, revision: 3, hash: HASH, status: 'partly', refused: [{ path: 'gates.a', message: 'No.' }] },
  gates: [{ name: 'a', mode: 'enforce', limit: 5, active: 1, zombies: 0, waiting: 0, oldestAgeMs: 0.5, level: 0 }],
  dependencies: [{ name: 'b', ceiling: 5, inFlight: 1, breaker: 'half-open', breakerMode: 'auto', budgetLeft: 0.25 }],
  consumers: [{ gate: 'a', topic: 'mails', lagMs: 600_000, inHand: 2, running: 1, paused: true }],
  uncounted: true,
  joinedAtMs: START,
  startedAtMs: START + 1,
  lastHeardAtMs: START + 2,
  endedAtMs: null,
  ...rest,
})
export const agents = (...records: AgentRecord[]): StoredAgent[] =>
  records.map((one) => ({ record: one, connected: true }))
export const everything = { after: null, limit: 100 }
