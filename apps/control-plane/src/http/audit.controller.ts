import { Controller, Get, Query } from '@nestjs/common'
import { API, type Audit, type Page, type PageQuery, pageQuerySchema } from '@weir/api'
import { AuditLog } from '../features/audit/audit-log.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

@Controller(`${API}/audit`)
@Requires('admin')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Audit>> {
    return orProblem(await this.audit.page(query))
  }
}
