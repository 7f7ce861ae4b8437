import { Global, Logger, Module } from '@nestjs/common'
import { PrismaAuditLog } from '../adapters/prisma/audit.ts'
import { Database } from '../adapters/prisma/database.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { Callers } from '../features/access/caller.ts'
import { Identity, NobodyIdentity } from '../features/access/identity.ts'
import { AuditLog } from '../features/audit/audit-log.ts'
import { AuditedRefusals, RefusalLog } from '../features/audit/refusal-log.ts'

const logger = new Logger('access')

/** Who may do what: operators, sessions, tokens, and the audit of it. */
@Global()
@Module({
  providers: [
    { provide: Identity, useClass: NobodyIdentity },
    { provide: Callers, useFactory: (config: Config) => new Callers(config.trustedProxies), inject: [CONFIG] },
    { provide: AuditLog, useFactory: (database: Database) => new PrismaAuditLog(database), inject: [Database] },
    {
      provide: RefusalLog,
      useFactory: (audit: AuditLog) =>
        new AuditedRefusals(
          audit,
          (error) => logger.error(error),
          () => performance.now(),
        ),
      inject: [AuditLog],
    },
  ],
  exports: [Identity, Callers, AuditLog, RefusalLog],
})
export class AccessModule {}
