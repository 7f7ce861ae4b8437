import type { Agent, Page, ReceiptRow, Service } from '@weir/api'
import { AGENT_BOUNDS } from './agent-bounds.ts'
import type { AgentHub, HubClock } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'
import { agentRow } from './agent-row.ts'
import type { AgentCursor, AgentStore } from './agents-port.ts'

/** How many agents of a service made what of its policy, as the list of services shows it. */
export abstract class AgentCounts {
  /** Only live agents; those that refused a part count as refused. */
  abstract of(ref: ServiceRef): Service['agents']
}

/** What REST asks about agents: the store's pages, with what the hub knows better laid over them. */
export class AgentsService extends AgentCounts {
  constructor(
    private readonly hub: AgentHub,
    private readonly store: AgentStore,
    private readonly databaseId: string,
    private readonly clock: HubClock,
  ) {
    super()
  }

  async list(
    environment: string,
    query: { readonly service?: string; readonly search?: string; readonly cursor?: string; readonly limit: number },
  ): Promise<Page<Agent>> {
    await this.hub.settle()
    const after = readCursor(query.cursor)
    const rows = await this.store.page(environment, { ...query, after, limit: query.limit + 1 })
    const items = rows.slice(0, query.limit).map(({ record, intended }) => {
      const room = this.hub.roomAt(record)
      const member = room?.roster.get(record.instance)
      if (room !== null && room !== undefined) return room.row(member?.record ?? record, member?.session != null)
      const { databaseId } = this
      return agentRow(record, {
        connected: false,
        intended,
        databaseId,
        nowMs: this.clock.wallMs(),
        timing: AGENT_BOUNDS,
      })
    })
    const last = items.at(-1)
    return { items, next: rows.length > query.limit && last !== undefined ? writeCursor(last) : null }
  }

  async receipts(
    ref: ServiceRef,
    query: { readonly cursor?: string; readonly limit: number },
  ): Promise<Page<ReceiptRow>> {
    await this.hub.settle()
    const before = /^\d{1,18}$/.test(query.cursor ?? '') ? BigInt(query.cursor ?? '') : null
    const rows = await this.store.receipts(ref, { before, limit: query.limit + 1 })
    const items = rows.slice(0, query.limit)
    return {
      items: items.map(({ instance, revision, status, refused, atMs }) => ({
        instance,
        revision,
        status,
        refused: [...refused],
        at: new Date(atMs).toISOString(),
      })),
      next: rows.length > query.limit ? String(items.at(-1)?.id ?? '') : null,
    }
  }

  override of(ref: ServiceRef): Service['agents'] {
    const counts = { live: 0, applied: 0, refused: 0, pending: 0 }
    const room = this.hub.roomAt(ref)
    for (const member of room?.roster.values() ?? []) {
      const row = room?.row(member.record, member.session !== null)
      if (row?.presence !== 'live') continue
      counts.live += 1
      if (row.status === 'applied') counts.applied += 1
      else if (row.status === 'refused' || row.status === 'partly') counts.refused += 1
      else if (row.status === 'pending') counts.pending += 1
    }
    return counts
  }
}

const writeCursor = ({ service, instance }: AgentCursor): string =>
  Buffer.from(JSON.stringify([service, instance])).toString('base64url')

/** A cursor that is not one of ours starts from the beginning. */
const readCursor = (cursor: string | undefined): AgentCursor | null => {
  if (cursor === undefined) return null
  try {
    const [service, instance]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return typeof service === 'string' && typeof instance === 'string' ? { service, instance } : null
  } catch {
    return null
  }
}
