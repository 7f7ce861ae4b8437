import { Module } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { PrismaReadiness } from '../adapters/prisma/prisma-readiness.ts'
import { Readiness } from '../features/health/readiness.ts'
import { HealthController } from '../http/health.controller.ts'
import { RequiresGuard } from '../http/requires.ts'

/** Services, policies, quotas, keys, health. */
@Module({
  controllers: [HealthController],
  providers: [
    { provide: Readiness, useClass: PrismaReadiness },
    { provide: APP_GUARD, useClass: RequiresGuard },
  ],
})
export class CoreModule {}
