import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common'
import {
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
import type { Principal } from '../features/access/identity.ts'
import { Catalog } from '../features/services/catalog.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest, textKey } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }

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
  @Answers('Makes a service', serviceSchema)
  async createService(
    @Param('environment', NAME) environment: string,
    @Body({ schema: createServiceSchema }) { name }: { name: string },
    @Actor() actor: Principal,
  ): Promise<Service> {
    return orProblem(await this.catalog.createService({ environment, service: name }, actor.name))
  }

  @Get(':environment/services/:service')
  @Requires('viewer')
  @Answers('One service', serviceSchema)
  async service(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
  ): Promise<Service> {
    return orProblem(await this.catalog.service({ environment, service }))
  }
}
