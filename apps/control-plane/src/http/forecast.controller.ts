import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import {
  type Forecast,
  forecastRequestSchema,
  forecastSchema,
  nameSchema,
  type Traffic,
  trafficQuerySchema,
  trafficSchema,
} from '@weir/api'
import type { z } from 'zod'
import { Forecasts } from '../features/forecast/forecasts.service.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

const NAME = { schema: nameSchema }

@Controller('api/v1/environments/:environment/services/:service')
export class ForecastController {
  constructor(private readonly forecasts: Forecasts) {}

  @Get('traffic')
  @Requires('viewer')
  @Answers('The traffic of the last seconds, as simulations take it', trafficSchema)
  async traffic(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Query({ schema: trafficQuerySchema }) { seconds }: z.output<typeof trafficQuerySchema>,
  ): Promise<Traffic> {
    return orProblem(await this.forecasts.traffic({ environment, service }, seconds))
  }

  @Post('policy/forecast')
  @HttpCode(200)
  @Requires('editor')
  @Answers('What a document would do to the traffic of the last seconds, beside the policy in force', forecastSchema)
  async forecast(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Body({ schema: forecastRequestSchema }) { document, seconds }: z.output<typeof forecastRequestSchema>,
  ): Promise<Forecast> {
    return orProblem(await this.forecasts.forecast({ environment, service }, document, seconds))
  }
}
