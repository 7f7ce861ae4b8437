import { Body, Controller, Get, Header, Post, Req } from '@nestjs/common'
import { API, type Operator, operatorSchema, type Setup, type Status, setupSchema, statusSchema } from '@weir/api'
import type { FastifyRequest } from 'fastify'
import { Callers } from '../features/access/caller.ts'
import { SetupDesk } from '../features/access/setup-desk.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Public } from './requires.ts'

/** What the sign-in page needs before anybody has signed in. */
@Controller(API)
@Public()
export class SetupController {
  constructor(
    private readonly desk: SetupDesk,
    private readonly callers: Callers,
  ) {}

  @Get('status')
  @Answers('Says the version, and whether there is an operator yet', statusSchema)
  @Header('cache-control', 'no-store')
  status(): Promise<Status> {
    return this.desk.status()
  }

  @Post('setup')
  @Answers('Makes the first operator, once, with the token of the set-up link', operatorSchema)
  async setUp(@Req() request: FastifyRequest, @Body({ schema: setupSchema }) body: Setup): Promise<Operator> {
    return orProblem(await this.desk.setUp(this.callers.asking(request.raw), body))
  }
}
