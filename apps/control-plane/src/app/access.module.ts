import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common'
import { hashPassword } from 'better-auth/crypto'
import { makeAuth } from '../adapters/better-auth/auth.ts'
import { BetterAuthSessions } from '../adapters/better-auth/sessions.ts'
import { PrismaOperatorStore } from '../adapters/prisma/access-operators.ts'
import { PrismaTokenStore } from '../adapters/prisma/access-tokens.ts'
import { PrismaAuditLog } from '../adapters/prisma/audit.ts'
import { Database } from '../adapters/prisma/database.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { VERSION } from '../config/version.ts'
import { AccessIdentity } from '../features/access/access-identity.ts'
import { Callers } from '../features/access/caller.ts'
import { Housekeeping } from '../features/access/housekeeping.ts'
import { Identity } from '../features/access/identity.ts'
import { OperatorStore, Operators } from '../features/access/operators.ts'
import { Sessions } from '../features/access/sessions.ts'
import { SetupDesk } from '../features/access/setup-desk.ts'
import { SignIn } from '../features/access/sign-in.ts'
import { TokenStore, Tokens } from '../features/access/tokens.ts'
import { AuditLog } from '../features/audit/audit-log.ts'
import { AuditedRefusals, RefusalLog } from '../features/audit/refusal-log.ts'
import { AccessSessionController } from '../http/access-session.controller.ts'
import { AuditController } from '../http/audit.controller.ts'
import { MeController } from '../http/me.controller.ts'
import { OperatorsController } from '../http/operators.controller.ts'
import { SetupController } from '../http/setup.controller.ts'
import { SignInLinkController } from '../http/sign-in-link.controller.ts'
import { TokensController } from '../http/tokens.controller.ts'

const logger = new Logger('access')
const failed = (error: unknown) => logger.error(error)
const publicOrigins = (config: Config) => (config.publicUrl === null ? [] : [new URL(config.publicUrl).origin])

const stores = [
  { provide: AuditLog, useFactory: (database: Database) => new PrismaAuditLog(database), inject: [Database] },
  { provide: OperatorStore, useFactory: (database: Database) => new PrismaOperatorStore(database), inject: [Database] },
  { provide: TokenStore, useFactory: (database: Database) => new PrismaTokenStore(database), inject: [Database] },
  {
    provide: Sessions,
    useFactory: (database: Database) =>
      new BetterAuthSessions(
        makeAuth(database, (level, message) => logger.debug(`${level}: ${message}`)),
        database,
      ),
    inject: [Database],
  },
]

const services = [
  {
    provide: RefusalLog,
    useFactory: (audit: AuditLog) => new AuditedRefusals(audit, failed, () => performance.now()),
    inject: [AuditLog],
  },
  { provide: Callers, useFactory: (config: Config) => new Callers(config.trustedProxies), inject: [CONFIG] },
  {
    provide: Operators,
    useFactory: (store: OperatorStore) => new Operators(store, hashPassword),
    inject: [OperatorStore],
  },
  { provide: Tokens, useFactory: (store: TokenStore) => new Tokens(store, Date.now), inject: [TokenStore] },
  {
    provide: Identity,
    useFactory: (sessions: Sessions, tokens: TokenStore, refusals: RefusalLog, config: Config) =>
      new AccessIdentity({ sessions, tokens, refusals, publicOrigins: publicOrigins(config), now: Date.now }),
    inject: [Sessions, TokenStore, RefusalLog, CONFIG],
  },
  {
    provide: SignIn,
    useFactory: (sessions: Sessions, audit: AuditLog, refusals: RefusalLog, config: Config) =>
      new SignIn({ sessions, audit, refusals, publicOrigins: publicOrigins(config) }),
    inject: [Sessions, AuditLog, RefusalLog, CONFIG],
  },
  {
    provide: SetupDesk,
    useFactory: (operators: Operators, refusals: RefusalLog, config: Config, { databaseId }: Database) =>
      new SetupDesk({ operators, refusals, publicOrigins: publicOrigins(config), version: VERSION, databaseId }),
    inject: [Operators, RefusalLog, CONFIG, Database],
  },
  {
    provide: Housekeeping,
    useFactory: (audit: AuditLog, tokens: TokenStore, sessions: Sessions) =>
      new Housekeeping(audit, tokens, sessions, failed),
    inject: [AuditLog, TokenStore, Sessions],
  },
]

/** Who may do what: operators, sessions, tokens, and the audit of it. */
@Global()
@Module({
  controllers: [
    AccessSessionController,
    AuditController,
    MeController,
    OperatorsController,
    SetupController,
    SignInLinkController,
    TokensController,
  ],
  providers: [...stores, ...services],
  exports: [Identity, Callers, AuditLog, RefusalLog],
})
export class AccessModule implements OnApplicationShutdown {
  constructor(
    @Inject(RefusalLog) private readonly refusals: AuditedRefusals,
    private readonly housekeeping: Housekeeping,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.housekeeping.close()
    await this.refusals.close()
  }
}
