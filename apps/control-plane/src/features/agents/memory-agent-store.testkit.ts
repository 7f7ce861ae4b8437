import type { Agent, AgentTally } from '@weir/api'
import { type ReceiptRecord, refKey, type ServiceRef } from './agent-record.ts'
import { isFound, isOf, rowAt, tallyOf, urgencyOf } from './agent-states.testkit.ts'
import {
  type AgentBatch,
  type AgentChoice,
  type AgentFilter,
  type AgentOfPage,
  AgentStore,
  type Changes,
  type Pruning,
  type StoredAgent,
  type StoredRoom,
} from './agents-port.ts'
import type { PushedPolicy } from './pushed-policy.ts'

/** Keeps everything in memory, for tests on virtual time; survives a "restart" of the hub by being handed to the next. */
export class MemoryAgentStore extends AgentStore {
  readonly replica: string = 'one'
  readonly agents = new Map<string, StoredAgent & { readonly replica: string }>()
  readonly receiptRows: (ReceiptRecord & { readonly id: bigint })[] = []
  readonly policies = new Map<string, PushedPolicy>()
  readonly services = new Map<string, string>()
  private lastId = 0n
  wallMs: () => number = Date.now
  databaseId = ''
  writes: number[] = []
  away = false

  addService(ref: ServiceRef): string {
    const id = `id of ${refKey(ref)}`
    this.services.set(refKey(ref), id)
    return id
  }

  override async room(ref: ServiceRef): Promise<StoredRoom | null> {
    const serviceId = this.services.get(refKey(ref))
    if (serviceId === undefined) return null
    const members = [...this.agents.values()]
      .map(({ record }) => ({ ...record }))
      .filter((record) => refKey(record) === refKey(ref) && record.endedAtMs === null)
    return { serviceId, members }
  }

  async policy(serviceId: string): Promise<PushedPolicy | null> {
    return this.policies.get(serviceId) ?? null
  }

  override async write({ agents, receipts, heard }: AgentBatch): Promise<void> {
    if (this.away) throw new Error('The store is away.')
    this.writes.push(agents.length)
    for (const agent of agents) if (this.services.has(refKey(agent.record))) this.put(agent)
    for (const receipt of receipts)
      if (this.services.has(refKey(receipt))) this.receiptRows.push({ ...receipt, id: ++this.lastId })
    for (const record of heard) {
      const stored = this.agents.get(`${refKey(record)} ${record.instance}`)
      if (stored === undefined) continue
      stored.record.lastHeardAtMs = Math.max(stored.record.lastHeardAtMs, record.lastHeardAtMs)
    }
  }

  /** Another replica's view of the same rows. */
  of(replica: string): MemoryAgentStore {
    const view: MemoryAgentStore = Object.create(this)
    return Object.defineProperty(view, 'replica', { value: replica })
  }

  override async changes(serviceIds: readonly string[]): Promise<Changes> {
    if (this.away) throw new Error('The store is away.')
    const agents = [...this.agents.values()].flatMap(({ record, connected, replica }) => {
      const serviceId = this.services.get(refKey(record))
      const wanted = serviceId !== undefined && serviceIds.includes(serviceId)
      return wanted ? [{ record: { ...record }, connected, serviceId, own: replica === this.replica }] : []
    })
    return { agents, until: new Date(0) }
  }

  override async page(environment: string, filter: AgentFilter): Promise<AgentOfPage[] | null> {
    if (![...this.services.keys()].some((key) => JSON.parse(key)[0] === environment)) return null
    const place = (record: { service: string; instance: string }) => JSON.stringify([record.service, record.instance])
    const { after, offset = 0, limit, state, urgent } = filter
    return this.known(environment, filter)
      .filter(({ agent }) => isOf(agent, state) && (after === null || place(agent) > place(after)))
      .sort(({ agent: a }, { agent: b }) => {
        const first = urgent ? urgencyOf(a) - urgencyOf(b) : 0
        return first || (place(a) < place(b) ? -1 : 1)
      })
      .slice(offset, offset + limit)
      .map(({ stored }) => stored)
  }

  override async tally(environment: string, choice: AgentChoice): Promise<AgentTally> {
    return tallyOf(this.known(environment, choice).map(({ agent }) => agent))
  }

  private known(environment: string, choice: AgentChoice): { stored: AgentOfPage; agent: Agent }[] {
    return [...this.agents.values()]
      .filter(({ record }) => record.environment === environment)
      .map(({ record, connected }) => {
        const intended = this.policies.get(this.services.get(refKey(record)) ?? '')?.identity ?? null
        const stored = { record, connected, intended }
        return { stored, agent: rowAt(stored, this.databaseId, this.wallMs()) }
      })
      .filter(({ agent }) => isFound(agent, choice))
  }

  private put({ record, connected }: StoredAgent): void {
    const key = `${refKey(record)} ${record.instance}`
    const there = this.agents.get(key)
    const over =
      there === undefined ||
      connected ||
      !there.connected ||
      there.replica === this.replica ||
      (record.endedAtMs !== null && there.record.lastHeardAtMs <= record.lastHeardAtMs)
    if (!over) return
    const joinedAtMs = there?.record.endedAtMs === null ? there.record.joinedAtMs : record.joinedAtMs
    const lastHeardAtMs = Math.max(there?.record.lastHeardAtMs ?? 0, record.lastHeardAtMs)
    this.agents.set(key, { record: { ...record, joinedAtMs, lastHeardAtMs }, connected, replica: this.replica })
  }

  override async receipts(ref: ServiceRef, page: { before: bigint | null; limit: number }) {
    if (!this.services.has(refKey(ref))) return null
    return this.receiptRows
      .filter((row) => refKey(row) === refKey(ref) && (page.before === null || row.id < page.before))
      .sort((a, b) => (a.id > b.id ? -1 : 1))
      .slice(0, page.limit)
  }

  override async prune({ endedBefore, receiptsBefore, receiptsKept }: Pruning): Promise<void> {
    for (const [key, { record }] of this.agents)
      if ((record.endedAtMs ?? record.lastHeardAtMs) < endedBefore.getTime()) this.agents.delete(key)
    const services = new Set(this.receiptRows.map(refKey))
    const kept = [...services].flatMap((service) =>
      this.receiptRows
        .filter((row) => refKey(row) === service && row.atMs >= receiptsBefore.getTime())
        .slice(-receiptsKept),
    )
    this.receiptRows.splice(0, Number.POSITIVE_INFINITY, ...kept)
  }
}
