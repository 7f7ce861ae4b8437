import { Controller, Get } from '@nestjs/common'
import { Readiness } from '../features/health/readiness.ts'
import { ProblemError } from './problem.ts'
import { Public } from './requires.ts'

@Controller()
@Public()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Live: the process answers. Says nothing about the database, so that its outage restarts nobody. */
  @Get('healthz')
  live(): { status: string } {
    return { status: 'live' }
  }

  @Get('readyz')
  async ready(): Promise<{ status: string }> {
    if (await this.readiness.databaseReachable()) return { status: 'ready' }
    throw new ProblemError({ code: 'unavailable', detail: 'The database does not answer.' })
  }
}
