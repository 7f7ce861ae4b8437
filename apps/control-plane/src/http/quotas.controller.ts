import { Body, Controller, Delete, Get, Param, Put, Query, Res } from '@nestjs/common'
import {
  nameSchema,
  type Page,
  type PageQuery,
  type Published,
  pageOf,
  pageQuerySchema,
  publishedSchema,
  putQuotaSchema,
  type QuotaRow,
  quotaRowSchema,
  removeQuotaSchema,
} from '@weir/api'
import { tenantSchema } from '@weir/policy/schema'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import type { Expected } from '../features/expected.ts'
import { QuotaStore, quotaTag } from '../features/tenants/quota-store.ts'
import { Quotas } from '../features/tenants/quotas.service.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { Precondition } from './preconditions.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const TENANT = { schema: tenantSchema }
const quotaKey = z.object({ resource: z.string(), tenant: z.string() })

@Controller('api/v1/environments/:environment/services/:service/quotas')
export class QuotasController {
  constructor(
    private readonly store: QuotaStore,
    private readonly quotas: Quotas,
  ) {}

  @Get()
  @Requires('viewer')
  @Answers('Lists tenant quotas by resource and tenant', pageOf(quotaRowSchema))
  async list(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<QuotaRow>> {
    const rows = orProblem(await this.store.list({ environment, service }, pageRequest(query, quotaKey)))
    return pageAnswer(rows, ({ resource, tenant }) => ({ resource, tenant }))
  }

  @Get(':resource/:tenant')
  @Requires('viewer')
  @Answers('One quota', quotaRowSchema, { etag: true })
  async get(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Param('resource', NAME) resource: string,
    @Param('tenant', TENANT) tenant: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QuotaRow> {
    const row = orProblem(await this.store.get({ environment, service, resource, tenant }))
    reply.header('etag', quotaTag(row.version))
    return row
  }

  @Put(':resource/:tenant')
  @Requires('editor')
  @Answers('Sets a quota; agents get it at once', publishedSchema, { etag: true })
  async put(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Param('resource', NAME) resource: string,
    @Param('tenant', TENANT) tenant: string,
    @Precondition() expected: Expected,
    @Body({ schema: putQuotaSchema }) { quota, reason }: z.output<typeof putQuotaSchema>,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Published> {
    const ref = { environment, service, resource, tenant }
    const published = orProblem(await this.quotas.put(ref, quota, { expected, reason, author: actor.name }))
    reply.header('etag', quotaTag(published.version))
    return published
  }

  @Delete(':resource/:tenant')
  @Requires('editor')
  @Answers('Removes a quota: the tenant gets what tenants without one get', publishedSchema)
  async remove(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Param('resource', NAME) resource: string,
    @Param('tenant', TENANT) tenant: string,
    @Precondition() expected: Expected,
    @Query({ schema: removeQuotaSchema }) { reason }: z.output<typeof removeQuotaSchema>,
    @Actor() actor: Principal,
  ): Promise<Published> {
    const ref = { environment, service, resource, tenant }
    return orProblem(await this.quotas.remove(ref, { expected, reason, author: actor.name }))
  }
}
