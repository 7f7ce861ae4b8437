import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common'
import {
  API,
  type CreateOperator,
  createOperatorSchema,
  type Operator,
  operatorSchema,
  type Page,
  type PageQuery,
  pageOf,
  pageQuerySchema,
  updateOperatorSchema,
} from '@weir/api'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { Operators } from '../features/access/operators.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const ID = { schema: z.string().max(64) }

@Controller(`${API}/operators`)
@Requires('admin')
export class OperatorsController {
  constructor(private readonly operators: Operators) {}

  @Get()
  @Answers('Lists operators', pageOf(operatorSchema))
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Operator>> {
    return orProblem(await this.operators.page(query))
  }

  @Post()
  @Answers('Makes an operator', operatorSchema)
  async create(
    @Body({ schema: createOperatorSchema }) body: CreateOperator,
    @Actor() actor: Principal,
  ): Promise<Operator> {
    return orProblem(await this.operators.create(body, actor.name))
  }

  @Patch(':id')
  @Answers('Changes an operator; another role ends their sessions', operatorSchema)
  async change(
    @Param('id', ID) id: string,
    @Body({ schema: updateOperatorSchema }) body: z.infer<typeof updateOperatorSchema>,
    @Actor() actor: Principal,
  ): Promise<Operator> {
    return orProblem(await this.operators.change(id, body, actor.name))
  }

  @Delete(':id')
  @HttpCode(204)
  @Answers('Removes an operator and ends their sessions; never the last admin', null)
  async remove(@Param('id', ID) id: string, @Actor() actor: Principal): Promise<void> {
    orProblem(await this.operators.remove(id, actor.name))
  }
}
