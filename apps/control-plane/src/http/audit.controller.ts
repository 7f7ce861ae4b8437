import { Controller, Get, Query } from '@nestjs/common'
import { API, type Audit, auditSchema, type Page, type PageQuery, pageOf, pageQuerySchema } from '@weir/api'
import { AuditLog } from '../features/audit/audit-log.ts'
import { Answers } from './answer.ts'
import { orProblem } from './problem.ts'
import { Requires } from './requires.ts'

@Controller(`${API}/audit`)
@Requires('admin')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  @Answers('Reads the audit, the newest first', pageOf(auditSchema))
  async list(@Query({ schema: pageQuerySchema }) query: PageQuery): Promise<Page<Audit>> {
    return orProblem(await this.audit.page(query))
  }
}
