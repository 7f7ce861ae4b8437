import { type DynamicModule, Global, Module } from '@nestjs/common'
import { MemoryBus } from '../adapters/memory/memory-bus.ts'
import { Database } from '../adapters/prisma/database.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { Bus } from '../features/bus.ts'

/** What every other module stands on: settings, database, bus. */
@Global()
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a Nest module is a class
export class RuntimeModule {
  static of(config: Config, database: Database): DynamicModule {
    return {
      module: RuntimeModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Database, useValue: database },
        { provide: Bus, useClass: MemoryBus },
      ],
      exports: [CONFIG, Database, Bus],
    }
  }
}
