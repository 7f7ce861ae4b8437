import { type DynamicModule, Module } from '@nestjs/common'
import { LoggerModule } from 'nestjs-pino'
import type { Database } from './adapters/prisma/database.ts'
import { AccessModule } from './app/access.module.ts'
import { AlertsModule } from './app/alerts.module.ts'
import { CoreModule } from './app/core.module.ts'
import { ForecastModule } from './app/forecast.module.ts'
import { OutcomesModule } from './app/outcomes.module.ts'
import { OverviewModule } from './app/overview.module.ts'
import { RuntimeModule } from './app/runtime.module.ts'
import { SelfModule } from './app/self.module.ts'
import { SocketsModule } from './app/sockets.module.ts'
import type { Config } from './config/config.ts'
import { logging } from './config/logging.ts'

/** The whole control plane. Features meet their adapters in `app/` only. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a Nest module is a class
export class AppModule {
  static of(config: Config, database: Database): DynamicModule {
    return {
      module: AppModule,
      imports: [
        LoggerModule.forRoot(logging(config)),
        RuntimeModule.of(config, database),
        AccessModule,
        CoreModule,
        SelfModule,
        SocketsModule,
        OutcomesModule,
        OverviewModule,
        AlertsModule,
        ForecastModule,
      ],
    }
  }
}
