import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common'
import {
  type AlertRule,
  alertRuleSchema,
  createEnvironmentSchema,
  createServiceSchema,
  type Environment,
  environmentSchema,
  nameSchema,
  type Page,
  type PageQuery,
  pageOf,
  pageQuerySchema,
  type Service,
  serviceSchema,
} from '@weir/api'
import type { FastifyReply } from 'fastify'
import type { Principal } from '../features/access/identity.ts'
import type { Expected } from '../features/expected.ts'
import { alertTag, Catalog, type VersionedService } from '../features/services/catalog.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest, textKey } from './cursor.ts'
import { Precondition } from './preconditions.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }

const tagged = (reply: FastifyReply, { service, alertVersion }: VersionedService): Service => {
  reply.header('etag', alertTag(alertVersion))
  return service
}

@Controller('api/v1/environments')
export class EnvironmentsController {
  constructor(private readonly catalog: Catalog) {}

  @Get()
  @Requires('viewer')
  @Answers('Lists environments', pageOf(environmentSchema))
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Environment>> {
    return pageAnswer(await this.catalog.environments(pageRequest(query, textKey)), ({ name }) => name)
  }

  @Post()
  @Requires('admin')
  @Answers('Makes an environment', environmentSchema)
  async create(
    @Body({ schema: createEnvironmentSchema }) { name }: { name: string },
    @Actor() actor: Principal,
  ): Promise<Environment> {
    return orProblem(await this.catalog.createEnvironment(name, actor.name))
  }

  @Get(':environment/services')
  @Requires('viewer')
  @Answers('Lists the services of an environment', pageOf(serviceSchema))
  async services(
    @Param('environment', NAME) environment: string,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Service>> {
    const rows = orProblem(await this.catalog.services(environment, pageRequest(query, textKey)))
    return pageAnswer(rows, ({ name }) => name)
  }

  @Post(':environment/services')
  @Requires('editor')
  @Answers('Makes a service', serviceSchema, { etag: true })
  async createService(
    @Param('environment', NAME) environment: string,
    @Body({ schema: createServiceSchema }) { name }: { name: string },
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Service> {
    return tagged(reply, orProblem(await this.catalog.createService({ environment, service: name }, actor.name)))
  }

  @Get(':environment/services/:service')
  @Requires('viewer')
  @Answers('One service; its ETag is what the alert rule wants in If-Match', serviceSchema, { etag: true })
  async service(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Service> {
    return tagged(reply, orProblem(await this.catalog.service({ environment, service })))
  }

  @Put(':environment/services/:service/alert-rule')
  @HttpCode(200)
  @Requires('editor')
  @Answers('Sets when sustained shedding is an alert', serviceSchema, { etag: true })
  async alertRule(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Precondition() expected: Expected,
    @Body({ schema: alertRuleSchema }) rule: AlertRule,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Service> {
    const ref = { environment, service }
    return tagged(reply, orProblem(await this.catalog.setAlertRule(ref, expected, rule, actor.name)))
  }
}
