import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import {
  API,
  createdTokenSchema,
  createTokenSchema,
  type Page,
  type PageQuery,
  pageOf,
  pageQuerySchema,
  type Token,
  tokenSchema,
} from '@weir/api'
import type { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { Tokens } from '../features/access/tokens.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

@Controller(`${API}/tokens`)
@Requires('admin')
export class TokensController {
  constructor(private readonly tokens: Tokens) {}

  @Get()
  @Answers('Lists API tokens, without their secrets', pageOf(tokenSchema))
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Token>> {
    return orProblem(await this.tokens.page(query))
  }

  @Post()
  @Answers('Makes an API token; its secret is in this answer only', createdTokenSchema)
  async create(
    @Body({ schema: createTokenSchema }) body: z.output<typeof createTokenSchema>,
    @Actor() actor: Principal,
  ): Promise<z.infer<typeof createdTokenSchema>> {
    return orProblem(await this.tokens.create(body, actor.name))
  }

  @Delete(':id')
  @HttpCode(204)
  @Answers('Revokes an API token', null)
  async revoke(@Param('id') id: string, @Actor() actor: Principal): Promise<void> {
    orProblem(await this.tokens.revoke(id, actor.name))
  }
}
