import { Controller, Get, Param, Query } from '@nestjs/common'
import {
  type Flaw,
  flawsQuerySchema,
  flawsSchema,
  nameSchema,
  type Outcomes,
  outcomesQuerySchema,
  outcomesSchema,
} from '@weir/api'
import type { z } from 'zod'
import { FlawStore } from '../features/outcomes/flaw-store.ts'
import { OutcomeReader } from '../features/outcomes/outcome-reader.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }

@Controller('api/v1/environments/:environment/outcomes')
@Requires('viewer')
export class OutcomesController {
  constructor(
    private readonly reader: OutcomeReader,
    private readonly known: FlawStore,
  ) {}

  @Get()
  @Answers('Figures over time, with their totals', outcomesSchema)
  async read(
    @Param('environment', NAME) environment: string,
    @Query({ schema: outcomesQuerySchema }) query: z.output<typeof outcomesQuerySchema>,
  ): Promise<Outcomes> {
    return orProblem(await this.reader.read(environment, query))
  }

  @Get('flaws')
  @Answers('Lists gates of instances whose figures do not add up', flawsSchema)
  async flaws(
    @Param('environment', NAME) environment: string,
    @Query({ schema: flawsQuerySchema }) { service }: z.output<typeof flawsQuerySchema>,
  ): Promise<{ items: readonly Flaw[] }> {
    return { items: await this.known.list(environment, service) }
  }
}
