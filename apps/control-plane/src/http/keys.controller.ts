import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import {
  type CreatedKey,
  createdKeySchema,
  createKeySchema,
  type Key,
  keySchema,
  nameSchema,
  type Page,
  type PageQuery,
  pageOf,
  pageQuerySchema,
} from '@weir/api'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { AgentKeys } from '../features/keys/agent-keys.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const ID = { schema: z.uuid() }

@Controller('api/v1/environments/:environment/keys')
@Requires('admin')
export class KeysController {
  constructor(private readonly keys: AgentKeys) {}

  @Get()
  @Answers('Lists agent and ingest keys, without their secrets', pageOf(keySchema))
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Key>> {
    return pageAnswer(orProblem(await this.keys.list(environment, pageRequest(query, z.uuid()))), ({ id }) => id)
  }

  @Post()
  @Answers('Makes a key; its secret is in this answer only', createdKeySchema)
  async create(
    @Param('environment', NAME) environment: string,
    @Body({ schema: createKeySchema }) key: z.output<typeof createKeySchema>,
    @Actor() actor: Principal,
  ): Promise<CreatedKey> {
    return orProblem(await this.keys.create(environment, key, actor.name))
  }

  @Delete(':id')
  @HttpCode(204)
  @Answers('Revokes a key and closes its sockets', null)
  async revoke(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Actor() actor: Principal,
  ): Promise<void> {
    orProblem(await this.keys.revoke(environment, id, actor.name))
  }
}
