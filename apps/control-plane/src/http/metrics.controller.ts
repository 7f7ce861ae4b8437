import { Controller, Get, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { OwnMetrics } from '../features/self/own-metrics.ts'
import { Requires } from './requires.ts'

/** For Prometheus, with an API token as bearer. */
@Controller('metrics')
@Requires('viewer')
export class MetricsController {
  constructor(private readonly metrics: OwnMetrics) {}

  @Get()
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.header('content-type', this.metrics.contentType)
    return this.metrics.text()
  }
}
