import { Body, Controller, Get, HttpCode, Param, Put, Res } from '@nestjs/common'
import { type AlertRulesState, alertRulesSchema, nameSchema, putAlertRulesSchema } from '@weir/api'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { AlertRulesStore, rulesTag } from '../features/alerts/rules-store.ts'
import type { Expected } from '../features/expected.ts'
import { Answers } from './answer.ts'
import { Precondition } from './preconditions.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }

const tagged = (reply: FastifyReply, state: AlertRulesState): AlertRulesState => {
  reply.header('etag', rulesTag(state.version))
  return state
}

@Controller('api/v1/environments/:environment/alert-rules')
export class AlertRulesController {
  constructor(private readonly store: AlertRulesStore) {}

  @Get()
  @Requires('viewer')
  @Answers('The alert rules in force, every default filled in', alertRulesSchema, { etag: true })
  async get(
    @Param('environment', NAME) environment: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRulesState> {
    return tagged(reply, orProblem(await this.store.get(environment)))
  }

  @Put()
  @HttpCode(200)
  @Requires('editor')
  @Answers('Sets the alert rules; they hold from the next bucket on', alertRulesSchema, { etag: true })
  async put(
    @Param('environment', NAME) environment: string,
    @Precondition() expected: Expected,
    @Body({ schema: putAlertRulesSchema }) { document, reason }: z.output<typeof putAlertRulesSchema>,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRulesState> {
    const edit = { document, reason, expected, author: actor.name }
    return tagged(reply, orProblem(await this.store.put(environment, edit)))
  }
}
