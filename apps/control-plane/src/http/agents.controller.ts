import { Controller, Get, Param, Query } from '@nestjs/common'
import {
  type Agents,
  type AgentsQuery,
  agentsQuerySchema,
  agentsSchema,
  type Feedback,
  feedbackSchema,
  type LeaseShare,
  type Leases,
  leasedQuotaSchema,
  leaseShareSchema,
  leasesSchema,
  nameSchema,
  type Page,
  pageOf,
  pageQuerySchema,
  type ReceiptRow,
  type Reported,
  reportedSchema,
} from '@weir/api'
import { tenantSchema } from '@weir/policy/schema'
import { z } from 'zod'
import { AgentsService } from '../features/agents/agents.service.ts'
import { FeedbackService } from '../features/agents/feedback.service.ts'
import { LeasesService } from '../features/agents/leases.service.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }

/** A cursor is a place by name; of an order of the moment it is a number of rows. */
const agentKey = z.object({ service: z.string(), instance: z.string() })
const offsetKey = z.int().min(0).max(1_000_000)
const receiptKey = z.string().regex(/^\d{1,18}$/)

@Controller('api/v1/environments/:environment')
@Requires('viewer')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly rules: FeedbackService,
    private readonly leases: LeasesService,
  ) {}

  /** Agents of an environment, or of one of its services, with what each made of the intended revision. */
  @Get('agents')
  @Answers('Lists agents with what each made of the intended revision, and counts them by state', agentsSchema)
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: agentsQuerySchema }) query: AgentsQuery,
  ): Promise<Agents> {
    const { cursor, limit, order, offset = 0, ...choice } = query
    const page = cursor === undefined ? { limit } : { cursor, limit }
    if (order === 'name') {
      const { after } = pageRequest(page, agentKey)
      const rows = orProblem(await this.agents.list(environment, { ...choice, after, offset, limit }))
      return { ...pageAnswer(rows, ({ service, instance }) => ({ service, instance })), counts: rows.counts }
    }
    const from = pageRequest(page, offsetKey).after ?? offset
    const rows = orProblem(
      await this.agents.list(environment, { ...choice, urgent: true, after: null, offset: from, limit }),
    )
    return { ...pageAnswer(rows, () => from + limit), counts: rows.counts }
  }

  /** What the live agents of a service say of their gates, dependencies and consumers, in sum. */
  @Get('services/:service/reported')
  @Answers('What live agents say of their gates, dependencies and consumers, summed', reportedSchema)
  async reported(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
  ): Promise<Reported> {
    return orProblem(await this.agents.reported({ environment, service }))
  }

  /** What agents answered to each revision, the newest first. */
  @Get('services/:service/receipts')
  async receipts(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<ReceiptRow>> {
    const rows = orProblem(await this.agents.receipts({ environment, service }, pageRequest(query, receiptKey)))
    const { next } = pageAnswer(rows, ({ id }) => id)
    return { items: rows.items.map(({ row }) => row), next }
  }

  /** What the service's rules of feedback do now: consumers that lag make the quotas of their producers smaller. */
  @Get('services/:service/feedback')
  @Answers('Lists the rules of feedback and what each does now', feedbackSchema)
  async feedback(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
  ): Promise<Feedback> {
    return orProblem(await this.rules.of({ environment, service }))
  }

  /** What of each quota is granted, wanted and used now, and what would be left of it without the control plane. */
  @Get('services/:service/leases')
  @Answers('Lists the quotas that agents lease, with what of each is granted, wanted and used', leasesSchema)
  async leased(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
  ): Promise<Leases> {
    return orProblem(await this.leases.of({ environment, service }))
  }

  /** Each agent's part of one quota. */
  @Get('services/:service/leases/:kind/:resource/:tenant/agents')
  @Answers('Lists the agents that lease a quota, with the part of each', pageOf(leaseShareSchema))
  async shares(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Param('kind', { schema: leasedQuotaSchema.shape.kind }) kind: 'rate' | 'slots',
    @Param('resource', NAME) resource: string,
    @Param('tenant', { schema: tenantSchema }) tenant: string,
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<LeaseShare>> {
    const page = pageRequest(query, z.string())
    const rows = orProblem(await this.leases.shares({ environment, service }, { kind, resource, tenant }, page))
    return pageAnswer(rows, ({ instance }) => instance)
  }
}
