import { Controller, Get, Param, Query } from '@nestjs/common'
import {
  type Decision,
  decisionSchema,
  decisionsQuerySchema,
  nameSchema,
  type Page,
  pageOf,
  timeSchema,
} from '@weir/api'
import { z } from 'zod'
import { DecisionsService } from '../features/decisions/decisions.service.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const PLACE = z.object({ at: timeSchema, id: z.string().max(64) })

@Controller('api/v1/environments/:environment/decisions')
@Requires('viewer')
export class DecisionsController {
  constructor(private readonly decisions: DecisionsService) {}

  @Get()
  @Answers('Lists sampled refusals with everything that decided them, the newest first', pageOf(decisionSchema))
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: decisionsQuerySchema }) query: z.output<typeof decisionsQuerySchema>,
  ): Promise<Page<Decision>> {
    const { cursor, limit, ...filter } = query
    const page = pageRequest(cursor === undefined ? { limit } : { cursor, limit }, PLACE)
    return pageAnswer(orProblem(await this.decisions.list({ environment, ...filter }, page)), ({ at, id }) => ({
      at,
      id,
    }))
  }
}
