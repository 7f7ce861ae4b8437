import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import {
  createSilenceSchema,
  nameSchema,
  type Page,
  pageOf,
  pageQuerySchema,
  type Silence,
  silenceSchema,
  timeSchema,
} from '@weir/api'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import { type SilenceEdit, SilenceStore } from '../features/notifications/silences.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const ID = { schema: z.uuid() }
const PLACE = z.object({ to: timeSchema, id: z.uuid() })
const querySchema = pageQuerySchema.omit({ search: true })

@Controller('api/v1/environments/:environment/silences')
export class SilencesController {
  constructor(private readonly silences: SilenceStore) {}

  @Get()
  @Requires('viewer')
  @Answers('Lists silences and maintenance windows; what ends last comes first', pageOf(silenceSchema))
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
  ): Promise<Page<Silence>> {
    const rows = orProblem(await this.silences.list(environment, pageRequest(query, PLACE)))
    return pageAnswer(rows, ({ to, id }) => ({ to, id }))
  }

  @Post()
  @Requires('editor')
  @Answers('Silences alerts for a time, from now on or later', silenceSchema)
  async create(
    @Param('environment', NAME) environment: string,
    @Body({ schema: createSilenceSchema }) edit: SilenceEdit,
    @Actor() actor: Principal,
  ): Promise<Silence> {
    return orProblem(await this.silences.create(environment, edit, actor.name))
  }

  @Delete(':id')
  @HttpCode(200)
  @Requires('editor')
  @Answers('Ends a silence now', silenceSchema)
  async end(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Actor() actor: Principal,
  ): Promise<Silence> {
    return orProblem(await this.silences.end(environment, id, actor.name))
  }
}
