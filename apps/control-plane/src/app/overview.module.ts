import { Module } from '@nestjs/common'
import { PrismaAnnotationSource } from '../adapters/prisma/annotation-source.ts'
import { PrismaVerdictSource } from '../adapters/prisma/verdict-source.ts'
import { Catalog } from '../features/services/catalog.ts'
import { AnnotationSource } from '../features/verdicts/annotation-source.ts'
import { VerdictSource } from '../features/verdicts/verdict-source.ts'
import { Verdicts } from '../features/verdicts/verdicts.service.ts'
import { VerdictsController } from '../http/verdicts.controller.ts'

/** What the overview is made of: how each service stands, and what happened when. */
@Module({
  controllers: [VerdictsController],
  providers: [
    { provide: VerdictSource, useClass: PrismaVerdictSource },
    { provide: AnnotationSource, useClass: PrismaAnnotationSource },
    {
      provide: Verdicts,
      useFactory: (source: VerdictSource, catalog: Catalog) => new Verdicts(source, catalog),
      inject: [VerdictSource, Catalog],
    },
  ],
})
export class OverviewModule {}
