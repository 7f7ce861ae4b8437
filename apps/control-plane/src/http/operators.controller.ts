import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common'
import {
  API,
  type CreateOperator,
  createOperatorSchema,
  type Operator,
  type Page,
  type PageQuery,
  pageQuerySchema,
  updateOperatorSchema,
} from '@weir/api'
import type { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { Operators } from '../features/access/operators.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

@Controller(`${API}/operators`)
@Requires('admin')
export class OperatorsController {
  constructor(private readonly operators: Operators) {}

  @Get()
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Operator>> {
    return orProblem(await this.operators.page(query))
  }

  @Post()
  async create(
    @Body({ schema: createOperatorSchema }) body: CreateOperator,
    @Actor() actor: Principal,
  ): Promise<Operator> {
    return orProblem(await this.operators.create(body, actor.name))
  }

  @Patch(':id')
  async change(
    @Param('id') id: string,
    @Body({ schema: updateOperatorSchema }) body: z.infer<typeof updateOperatorSchema>,
    @Actor() actor: Principal,
  ): Promise<Operator> {
    return orProblem(await this.operators.change(id, body, actor.name))
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id') id: string, @Actor() actor: Principal): Promise<void> {
    orProblem(await this.operators.remove(id, actor.name))
  }
}
