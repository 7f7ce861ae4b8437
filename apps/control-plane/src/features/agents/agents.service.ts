import type { Agent, Page, ReceiptRow } from '@weir/api'
import { done, type Result, refused } from '../result.ts'
import { AGENT_BOUNDS } from './agent-bounds.ts'
import type { AgentHub, HubClock } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'
import { agentRow } from './agent-row.ts'
import type { AgentCursor, AgentStore } from './agents-port.ts'

interface PageAsked {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** What REST asks about agents: the store's pages, with what the hub knows better laid over them. */
export class AgentsService {
  constructor(
    private readonly hub: AgentHub,
    private readonly store: AgentStore,
    private readonly databaseId: string,
    private readonly clock: HubClock,
  ) {}

  async list(
    environment: string,
    query: PageAsked & { readonly service?: string | undefined; readonly search?: string | undefined },
  ): Promise<Result<Page<Agent>>> {
    await this.hub.settle()
    const after = readCursor(query.cursor)
    const { service, search, limit } = query
    const rows = await this.store.page(environment, { service, search, after, limit: limit + 1 })
    if (rows === null) return refused('not-found', `There is no environment ${environment}.`)
    const items = rows.slice(0, limit).map(({ record, intended }) => {
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
    return done({ items, next: rows.length > limit && last !== undefined ? writeCursor(last) : null })
  }

  async receipts(ref: ServiceRef, query: PageAsked): Promise<Result<Page<ReceiptRow>>> {
    await this.hub.settle()
    const before = /^\d{1,18}$/.test(query.cursor ?? '') ? BigInt(query.cursor ?? '') : null
    const rows = await this.store.receipts(ref, { before, limit: query.limit + 1 })
    if (rows === null) return refused('not-found', `There is no service ${ref.service} in ${ref.environment}.`)
    const items = rows.slice(0, query.limit)
    return done({
      items: items.map(({ instance, revision, status, refused, atMs }) => ({
        instance,
        revision,
        status,
        refused: [...refused],
        at: new Date(atMs).toISOString(),
      })),
      next: rows.length > query.limit ? String(items.at(-1)?.id ?? '') : null,
    })
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
