import { Controller, Get, Param, Query } from '@nestjs/common'
import { type Alert, alertSchema, alertsQuerySchema, nameSchema, type Page, pageOf, timeSchema } from '@weir/api'
import { z } from 'zod'
import { AlertBook } from '../features/alerts/alert-book.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const PLACE = z.object({ raisedAt: timeSchema, id: z.uuid() })

@Controller('api/v1/environments/:environment/alerts')
@Requires('viewer')
export class AlertsController {
  constructor(private readonly book: AlertBook) {}

  @Get()
  @Answers('Lists alerts, the newest first', pageOf(alertSchema))
  async list(
    @Param('environment', NAME) environment: string,
    @Query({ schema: alertsQuerySchema }) query: z.output<typeof alertsQuerySchema>,
  ): Promise<Page<Alert>> {
    const { state, service, ...page } = query
    return pageAnswer(await this.book.list({ environment, state, service }, pageRequest(page, PLACE)), (last) => ({
      raisedAt: last.raisedAt,
      id: last.id,
    }))
  }
}
