import { Inject, Injectable } from '@nestjs/common'
import type { AgentTally } from '@weir/api'
import type { PolicyIdentity, Problem } from '@weir/policy/model'
import { REPLICA } from '../../config/replica.ts'
import type { AgentRecord, LastReceipt, ServiceRef } from '../../features/agents/agent-record.ts'
import {
  type AgentBatch,
  type AgentChoice,
  type AgentFilter,
  AgentStore,
  type Changes,
  type Pruning,
  type StoredReceipt,
  type StoredRoom,
} from '../../features/agents/agents-port.ts'
import { pageQuestion, tallyQuestion } from './agent-lists.ts'
import { HEARD, RECEIPTS, receiptLine, stateLine, UPSERT } from './agents-sql.ts'
import { Database } from './database.ts'
import { inTransaction } from './transaction.ts'

/** More agents of one service that have not ended than this are not read back; the presumed dead are swept long before. */
const MOST_MEMBERS = 50_000

/** What the row's columns do not say, as `report` holds it. */
interface Report {
  readonly keyId: string
  readonly startedAtMs: number
  readonly applied: PolicyIdentity | null
  readonly receipt: LastReceipt | null
  readonly gates: AgentRecord['gates']
  readonly dependencies: AgentRecord['dependencies']
  /** Left out in rows of an earlier version. */
  readonly consumers?: AgentRecord['consumers']
  readonly uncounted?: boolean
}

/** A change is seen once its transaction has ended: those of so long ago are read again. */
const OVERLAP_MS = 2_000
/** Most that one look gives; the rest is there at the next, for those that live are written of every few seconds. */
const MOST_CHANGES = 20_000

interface AgentLine {
  readonly environment: string
  readonly service: string
  readonly instance: string
  readonly boot: string
  readonly zone: string | null
  readonly host: string
  readonly pid: number
  readonly agent_version: string
  readonly mode_override: AgentRecord['modeOverride']
  readonly source: AgentRecord['source']
  readonly report: Report | null
  readonly first_heard_at: Date
  readonly last_heard_at: Date
  readonly ended_at: Date | null
  readonly connected: boolean
  readonly replica: string | null
  readonly changed_at: Date
  readonly service_id: string
  readonly revision: number
  readonly hash: string | null
}

const SELECT = `SELECT e.name AS environment, s.name AS service, a.instance, a.boot, a.zone, a.host, a.pid,
  a.agent_version, a.mode_override, a.source, a.report, a.first_heard_at, a.last_heard_at, a.ended_at, a.connected, a.replica,
  a.changed_at, a.service_id, s.revision, s.hash
  FROM agent a JOIN service s ON s.id = a.service_id JOIN environment e ON e.id = s.environment_id`

@Injectable()
export class PrismaAgentStore extends AgentStore {
  constructor(
    private readonly database: Database,
    @Inject(REPLICA) private readonly replica: string,
  ) {
    super()
  }

  override async room({ environment, service }: ServiceRef): Promise<StoredRoom | null> {
    const { prisma, pool } = this.database
    const row = await prisma.service.findFirst({ where: { name: service, environment: { name: environment } } })
    if (row === null) return null
    const { rows } = await pool.query<AgentLine>(
      `${SELECT} WHERE a.service_id = $1 AND a.ended_at IS NULL ORDER BY a.last_heard_at DESC LIMIT ${MOST_MEMBERS}`,
      [row.id],
    )
    return { serviceId: row.id, members: rows.map(recordOf) }
  }

  override async write({ agents, receipts, heard }: AgentBatch): Promise<void> {
    const { databaseId, pool } = this.database
    await inTransaction(pool, async (client) => {
      if (agents.length > 0)
        await client.query(UPSERT, [JSON.stringify(agents.map((one) => stateLine(one, databaseId, this.replica)))])
      if (receipts.length > 0) await client.query(RECEIPTS, [JSON.stringify(receipts.flatMap(receiptLine))])
      if (heard.length > 0)
        await client.query(HEARD, [
          heard.map((record) => record.environment),
          heard.map((record) => record.service),
          heard.map((record) => record.instance),
          heard.map((record) => new Date(record.lastHeardAtMs)),
        ])
    })
  }

  override async changes(serviceIds: readonly string[], since: Date | null): Promise<Changes> {
    const { pool } = this.database
    const { rows: clock } = await pool.query<{ now: Date }>('SELECT now() AS now')
    const until = clock[0]?.now ?? new Date()
    const from = new Date((since ?? until).getTime() - OVERLAP_MS)
    const { rows } = await pool.query<AgentLine>(
      `${SELECT} WHERE a.service_id = ANY($1::uuid[]) AND a.changed_at > $2 ORDER BY a.changed_at LIMIT ${MOST_CHANGES}`,
      [serviceIds, from],
    )
    const agents = rows.map((line) => ({
      record: recordOf(line),
      connected: line.connected,
      serviceId: line.service_id,
      own: line.replica === this.replica,
    }))
    return { agents, until: (rows.length === MOST_CHANGES ? rows.at(-1)?.changed_at : undefined) ?? until }
  }

  override async page(environment: string, filter: AgentFilter) {
    const { prisma, pool, databaseId } = this.database
    if ((await prisma.environment.count({ where: { name: environment } })) === 0) return null
    const { text, values } = pageQuestion(environment, filter, databaseId, SELECT)
    const { rows } = await pool.query<AgentLine>(text, [...values])
    return rows.map((line) => ({
      record: recordOf(line),
      connected: line.connected,
      intended: intendedOf(line, databaseId),
    }))
  }

  override async tally(environment: string, choice: AgentChoice): Promise<AgentTally> {
    const { pool, databaseId } = this.database
    const { text, values } = tallyQuestion(environment, choice, databaseId)
    const { rows } = await pool.query<AgentTally>(text, [...values])
    const [tally] = rows
    if (tally === undefined) throw new Error('A count without a row.')
    return tally
  }

  override async receipts(
    { environment, service }: ServiceRef,
    { before, limit }: { readonly before: bigint | null; readonly limit: number },
  ): Promise<StoredReceipt[] | null> {
    const { prisma } = this.database
    const row = await prisma.service.findFirst({ where: { name: service, environment: { name: environment } } })
    if (row === null) return null
    const rows = await prisma.receipt.findMany({
      where: { serviceId: row.id, ...(before === null ? {} : { id: { lt: before } }) },
      orderBy: { id: 'desc' },
      take: limit,
    })
    return rows.map(({ id, instance, boot, databaseId, revision, hash, status, refused, at }) => ({
      id,
      environment,
      service,
      instance,
      boot,
      databaseId,
      revision,
      hash,
      status: status as LastReceipt['status'],
      refused: refused as unknown as Problem[],
      atMs: at.getTime(),
    }))
  }

  override async prune({ endedBefore, receiptsBefore, receiptsKept }: Pruning): Promise<void> {
    const { pool } = this.database
    await pool.query('DELETE FROM agent WHERE coalesce(ended_at, last_heard_at) < $1', [endedBefore])
    await pool.query('DELETE FROM receipt WHERE at < $1', [receiptsBefore])
    await pool.query(
      `DELETE FROM receipt r USING (SELECT s.id, (SELECT n.id FROM receipt n WHERE n.service_id = s.id
         ORDER BY n.id DESC OFFSET $1 LIMIT 1) AS last FROM service s) bound
       WHERE r.service_id = bound.id AND r.id <= bound.last`,
      [receiptsKept],
    )
  }
}

const recordOf = (line: AgentLine): AgentRecord => ({
  environment: line.environment,
  service: line.service,
  instance: line.instance,
  boot: line.boot,
  keyId: line.report?.keyId ?? '',
  zone: line.zone,
  host: line.host,
  pid: line.pid,
  agentVersion: line.agent_version,
  modeOverride: line.mode_override,
  source: line.source,
  applied: line.report?.applied ?? null,
  receipt: line.report?.receipt ?? null,
  gates: line.report?.gates ?? [],
  dependencies: line.report?.dependencies ?? [],
  consumers: line.report?.consumers ?? [],
  uncounted: line.report?.uncounted ?? false,
  joinedAtMs: line.first_heard_at.getTime(),
  startedAtMs: line.report?.startedAtMs ?? line.first_heard_at.getTime(),
  lastHeardAtMs: line.last_heard_at.getTime(),
  endedAtMs: line.ended_at?.getTime() ?? null,
})

const intendedOf = ({ revision, hash }: AgentLine, databaseId: string): PolicyIdentity | null =>
  hash === null || revision === 0 ? null : { databaseId, revision, hash }
