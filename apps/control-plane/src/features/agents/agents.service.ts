import type { Agent, AgentTally, ReceiptRow, Reported } from '@weir/api'
import { type PageRequest, type Rows, rowsOf } from '../paging.ts'
import { done, type Result, refused } from '../result.ts'
import { AGENT_BOUNDS } from './agent-bounds.ts'
import type { AgentHub } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'
import { agentRow } from './agent-row.ts'
import type { AgentFilter, AgentOfPage, AgentStore } from './agents-port.ts'
import type { HubClock } from './hub-ports.ts'
import { presenceOf } from './presence.ts'
import { sumsOf } from './reported.ts'
import { isThere } from './roster.ts'

/** A receipt and its place in the list. */
export interface PlacedReceipt {
  readonly id: string
  readonly row: ReceiptRow
}

export interface AgentRows extends Rows<Agent> {
  readonly counts: AgentTally
}

const NO_SERVICE = ({ environment, service }: ServiceRef) =>
  refused('not-found', `There is no service ${service} in ${environment}.`)

/** A replica that died said of its agents last that they are connected: after this they are not. */
const HEARD_MS = AGENT_BOUNDS.heartbeatMs * AGENT_BOUNDS.missedHeartbeats

/** What REST asks about agents: the store's pages, with what the hub knows better laid over them. */
export class AgentsService {
  constructor(
    private readonly hub: AgentHub,
    private readonly store: AgentStore,
    private readonly databaseId: string,
    private readonly clock: HubClock,
  ) {}

  async list(environment: string, { limit, ...filter }: AgentFilter): Promise<Result<AgentRows>> {
    await this.hub.settle()
    const [rows, counts] = await Promise.all([
      this.store.page(environment, { ...filter, limit: limit + 1 }),
      this.store.tally(environment, filter),
    ])
    if (rows === null) return refused('not-found', `There is no environment ${environment}.`)
    return done({ ...rowsOf(rows, limit, (row) => this.row(row)), counts })
  }

  /** What the live agents of a service say, in sum. */
  async reported(ref: ServiceRef): Promise<Result<Reported>> {
    const room = await this.hub.room(ref)
    if (room === null) return NO_SERVICE(ref)
    const nowMs = this.clock.wallMs()
    const live = [...room.roster.values()].filter(
      (member) => presenceOf({ ...member.record, connected: isThere(member) }, nowMs, AGENT_BOUNDS) === 'live',
    )
    return done(sumsOf(live.map(({ record }) => record)))
  }

  async receipts(ref: ServiceRef, { after, limit }: PageRequest<string>): Promise<Result<Rows<PlacedReceipt>>> {
    await this.hub.settle()
    const rows = await this.store.receipts(ref, { before: after === null ? null : BigInt(after), limit: limit + 1 })
    if (rows === null) return NO_SERVICE(ref)
    return done(
      rowsOf(rows, limit, ({ id, instance, revision, status, refused: problems, atMs }) => ({
        id: String(id),
        row: { instance, revision, status, refused: [...problems], at: new Date(atMs).toISOString() },
      })),
    )
  }

  private row({ record, connected: stored, intended }: AgentOfPage): Agent {
    const room = this.hub.roomAt(record)
    const member = room?.roster.get(record.instance)
    const nowMs = this.clock.wallMs()
    const here = member !== undefined && member.session !== null
    const connected = here || (this.hub.hasOthers && stored && nowMs - record.lastHeardAtMs <= HEARD_MS)
    if (room !== null) return room.row(here || !this.hub.hasOthers ? (member?.record ?? record) : record, connected)
    return agentRow(record, { connected, intended, databaseId: this.databaseId, nowMs, timing: AGENT_BOUNDS })
  }
}
