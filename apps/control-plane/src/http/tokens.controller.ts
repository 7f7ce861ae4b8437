import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import {
  API,
  type createdTokenSchema,
  createTokenSchema,
  type Page,
  type PageQuery,
  pageQuerySchema,
  type Token,
} from '@weir/api'
import type { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { Tokens } from '../features/access/tokens.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

@Controller(`${API}/tokens`)
@Requires('admin')
export class TokensController {
  constructor(private readonly tokens: Tokens) {}

  @Get()
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Token>> {
    return orProblem(await this.tokens.page(query))
  }

  @Post()
  async create(
    @Body({ schema: createTokenSchema }) body: z.output<typeof createTokenSchema>,
    @Actor() actor: Principal,
  ): Promise<z.infer<typeof createdTokenSchema>> {
    return orProblem(await this.tokens.create(body, actor.name))
  }

  @Delete(':id')
  @HttpCode(204)
  async revoke(@Param('id') id: string, @Actor() actor: Principal): Promise<void> {
    orProblem(await this.tokens.revoke(id, actor.name))
  }
}
