import { Module } from '@nestjs/common'
import { PrismaAnnotationSource } from '../adapters/prisma/annotation-source.ts'
import { Database } from '../adapters/prisma/database.ts'
import { PrismaVerdictSource } from '../adapters/prisma/verdict-source.ts'
import type { MetricsEngine } from '../adapters/prometheus/metrics-engine.ts'
import { RememberedMoments } from '../adapters/prometheus/remembered-moments.ts'
import { PrometheusVerdictSource } from '../adapters/prometheus/verdict-source.ts'
import { Catalog } from '../features/services/catalog.ts'
import { AnnotationSource } from '../features/verdicts/annotation-source.ts'
import { VerdictSource } from '../features/verdicts/verdict-source.ts'
import { Verdicts } from '../features/verdicts/verdicts.service.ts'
import { VerdictsController } from '../http/verdicts.controller.ts'
import { METRICS_ENGINE, OutcomesModule } from './outcomes.module.ts'

/** What the overview is made of: how each service stands, and what happened when. */
@Module({
  imports: [OutcomesModule],
  controllers: [VerdictsController],
  providers: [
    {
      provide: VerdictSource,
      useFactory: (engine: MetricsEngine | null, database: Database) =>
        engine === null
          ? new PrismaVerdictSource(database)
          : new RememberedMoments(new PrometheusVerdictSource(engine)),
      inject: [METRICS_ENGINE, Database],
    },
    { provide: AnnotationSource, useClass: PrismaAnnotationSource },
    {
      provide: Verdicts,
      useFactory: (source: VerdictSource, catalog: Catalog) => new Verdicts(source, catalog),
      inject: [VerdictSource, Catalog],
    },
  ],
})
export class OverviewModule {}
