import { Controller, Get, Param, Query } from '@nestjs/common'
import { nameSchema, type Outcomes, outcomesQuerySchema, outcomesSchema } from '@weir/api'
import type { z } from 'zod'
import { OutcomeReader } from '../features/outcomes/outcome-reader.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }

@Controller('api/v1/environments/:environment/outcomes')
@Requires('viewer')
export class OutcomesController {
  constructor(private readonly reader: OutcomeReader) {}

  @Get()
  @Answers('Figures over time, with their totals', outcomesSchema)
  async read(
    @Param('environment', NAME) environment: string,
    @Query({ schema: outcomesQuerySchema }) query: z.output<typeof outcomesQuerySchema>,
  ): Promise<Outcomes> {
    return orProblem(await this.reader.read(environment, query))
  }
}
