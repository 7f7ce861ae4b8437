import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { type DynamicModule, Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common'
import { MemoryBus } from '../adapters/memory/memory-bus.ts'
import { Database } from '../adapters/prisma/database.ts'
import { RedisBus } from '../adapters/redis/redis-bus.ts'
import { RedisLink } from '../adapters/redis/redis-link.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { REPLICA } from '../config/replica.ts'
import { Bus } from '../features/bus.ts'

/** Injection token of what replicas share beside the database; `null`: this is the only one. */
export const REDIS_LINK = Symbol('redis')

const logger = new Logger('redis')

const linkOf = ({ redis }: Config, { databaseId }: Database): RedisLink | null =>
  redis === null
    ? null
    : new RedisLink(redis, databaseId, (error) =>
        logger.warn(`Redis is away: ${error instanceof Error ? error.message : String(error)}`),
      )

/** What every other module stands on: settings, database, bus. */
@Global()
@Module({})
export class RuntimeModule implements OnApplicationShutdown {
  static of(config: Config, database: Database): DynamicModule {
    return {
      module: RuntimeModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Database, useValue: database },
        { provide: REPLICA, useValue: `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}` },
        { provide: REDIS_LINK, useFactory: () => linkOf(config, database) },
        {
          provide: Bus,
          useFactory: (link: RedisLink | null) =>
            link === null ? new MemoryBus() : new RedisBus(link, new MemoryBus()),
          inject: [REDIS_LINK],
        },
      ],
      exports: [CONFIG, Database, REPLICA, REDIS_LINK, Bus],
    }
  }

  constructor(@Inject(REDIS_LINK) private readonly link: RedisLink | null) {}

  onApplicationShutdown(): void {
    this.link?.close()
  }
}
