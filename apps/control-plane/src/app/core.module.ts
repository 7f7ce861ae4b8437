import { Global, Module } from '@nestjs/common'
import { APP_GUARD, DiscoveryModule } from '@nestjs/core'
import { PrismaCatalog } from '../adapters/prisma/prisma-catalog.ts'
import { PrismaAgentKeys } from '../adapters/prisma/prisma-keys.ts'
import { PrismaOutbox } from '../adapters/prisma/prisma-outbox.ts'
import { PrismaPolicies } from '../adapters/prisma/prisma-policies.ts'
import { PrismaQuotas } from '../adapters/prisma/prisma-quotas.ts'
import { PrismaReadiness } from '../adapters/prisma/prisma-readiness.ts'
import { PrismaRevisions } from '../adapters/prisma/prisma-revisions.ts'
import { Readiness } from '../features/health/readiness.ts'
import { AgentKeys } from '../features/keys/agent-keys.ts'
import { Announcer } from '../features/outbox/announcer.ts'
import { OutboxStore } from '../features/outbox/outbox.ts'
import { OutboxRelay } from '../features/outbox/outbox-relay.ts'
import { EffectivePolicies, RevisionSource } from '../features/policies/effective-policies.ts'
import { Policies } from '../features/policies/policies.service.ts'
import { PolicyStore } from '../features/policies/policy-store.ts'
import { RevisionWatch } from '../features/policies/revision-watch.ts'
import { Catalog } from '../features/services/catalog.ts'
import { QuotaStore } from '../features/tenants/quota-store.ts'
import { Quotas } from '../features/tenants/quotas.service.ts'
import { DashboardController } from '../http/dashboard.controller.ts'
import { EnvironmentsController } from '../http/environments.controller.ts'
import { HealthController } from '../http/health.controller.ts'
import { KeysController } from '../http/keys.controller.ts'
import { OpenApiController } from '../http/openapi.controller.ts'
import { PolicyController } from '../http/policy.controller.ts'
import { QuotasController } from '../http/quotas.controller.ts'
import { RequiresGuard } from '../http/requires.ts'

/** Services, policies, quotas, keys, health; exported are the query ports that other features meet this one through. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [
    EnvironmentsController,
    PolicyController,
    QuotasController,
    KeysController,
    HealthController,
    OpenApiController,
    DashboardController,
  ],
  providers: [
    { provide: Readiness, useClass: PrismaReadiness },
    { provide: Catalog, useClass: PrismaCatalog },
    { provide: PolicyStore, useClass: PrismaPolicies },
    { provide: QuotaStore, useClass: PrismaQuotas },
    { provide: OutboxStore, useClass: PrismaOutbox },
    { provide: RevisionSource, useClass: PrismaRevisions },
    { provide: EffectivePolicies, useClass: RevisionWatch },
    { provide: AgentKeys, useClass: PrismaAgentKeys },
    OutboxRelay,
    Announcer,
    Policies,
    Quotas,
    { provide: APP_GUARD, useClass: RequiresGuard },
  ],
  exports: [Catalog, EffectivePolicies, AgentKeys, Policies, PolicyStore],
})
export class CoreModule {}
