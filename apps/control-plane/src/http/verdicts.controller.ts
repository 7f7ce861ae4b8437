import { Controller, Get, Param, Query } from '@nestjs/common'
import {
  type Annotations,
  type AnnotationsQuery,
  annotationsQuerySchema,
  annotationsSchema,
  nameSchema,
  type Verdicts as VerdictsPage,
  type VerdictsQuery,
  verdictsQuerySchema,
  verdictsSchema,
} from '@weir/api'
import { z } from 'zod'
import { AnnotationSource } from '../features/verdicts/annotation-source.ts'
import { Verdicts } from '../features/verdicts/verdicts.service.ts'
import { Answers } from './answer.ts'
import { encodeCursor, pageRequest } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const OFFSET = z.int().min(0).max(10_000)

@Controller('api/v1/environments/:environment')
@Requires('viewer')
export class VerdictsController {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly annotations: AnnotationSource,
  ) {}

  @Get('verdicts')
  @Answers('How each service stands, the worst first, with what speaks for it', verdictsSchema)
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: verdictsQuerySchema }) query: VerdictsQuery,
  ): Promise<VerdictsPage> {
    const offset = pageRequest(query, OFFSET).after ?? query.offset ?? 0
    const { page, more } = orProblem(await this.verdicts.page(environment, query, offset))
    return { ...page, next: more ? encodeCursor(offset + page.items.length) : null }
  }

  @Get('annotations')
  @Answers('What happened in that time: publishes and alerts, the newest first', annotationsSchema)
  async marks(
    @Param('environment', NAME) environment: string,
    @Query({ schema: annotationsQuerySchema }) { service, from, to }: AnnotationsQuery,
  ): Promise<Annotations> {
    const asked = { environment, service, from: new Date(from), to: new Date(to) }
    return { items: await this.annotations.between(asked) }
  }
}
