import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { Database } from '../adapters/prisma/database.ts'
import { PrismaDecisionStore } from '../adapters/prisma/decisions.ts'
import { PrismaFlaws } from '../adapters/prisma/flaws.ts'
import { OutcomeOutbox } from '../adapters/prisma/outcome-outbox.ts'
import { PrismaOutcomeStore } from '../adapters/prisma/outcomes.ts'
import { MetricsEngine } from '../adapters/prometheus/metrics-engine.ts'
import { PrometheusOutcomeStore } from '../adapters/prometheus/outcomes.ts'
import { PromMetrics } from '../adapters/prometheus/own-metrics.ts'
import { RedisFeed } from '../adapters/redis/redis-feed.ts'
import type { RedisLink } from '../adapters/redis/redis-link.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { REPLICA } from '../config/replica.ts'
import { AgentHub } from '../features/agents/agent-hub.ts'
import { DecisionIntake } from '../features/decisions/decision-intake.ts'
import { DecisionStore } from '../features/decisions/decision-store.ts'
import { DecisionsService } from '../features/decisions/decisions.service.ts'
import { LiveHub } from '../features/live/live-hub.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { FlawStore } from '../features/outcomes/flaw-store.ts'
import { Ingest } from '../features/outcomes/ingest.ts'
import { KeyRate } from '../features/outcomes/key-rate.ts'
import { LiveFeed } from '../features/outcomes/live-feed.ts'
import { OutcomeReader } from '../features/outcomes/outcome-reader.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { OwnMetrics } from '../features/self/own-metrics.ts'
import { DecisionsController } from '../http/decisions.controller.ts'
import { MetricsController } from '../http/metrics.controller.ts'
import { OtlpController } from '../http/otlp.controller.ts'
import { OutcomesController } from '../http/outcomes.controller.ts'
import { Pulse } from './pulse.ts'
import { REDIS_LINK } from './runtime.module.ts'

/** Injection token of where figures are kept beside the database; `null`: nowhere. */
export const METRICS_ENGINE = Symbol('metrics engine')
/** Injection token; `null` where there is one replica. */
const SHARED_FEED = Symbol('shared feed')
const logger = new Logger('outcomes')
const MAINTAIN_MS = 60_000
/** The live feed tells what was committed in the last group before it. */
const TICK_MS = 1_000

/** Figures in, kept, asked for, and shown live. */
@Module({
  controllers: [OutcomesController, DecisionsController, MetricsController],
  providers: [
    {
      provide: METRICS_ENGINE,
      useFactory: ({ metrics }: Config) => (metrics === null ? null : new MetricsEngine(metrics)),
      inject: [CONFIG],
    },
    {
      provide: OutcomeStore,
      useFactory: (engine: MetricsEngine | null, database: Database, replica: string) =>
        engine === null
          ? new PrismaOutcomeStore(database)
          : new PrometheusOutcomeStore(engine, new OutcomeOutbox(database.pool), replica, (error) =>
              logger.error(error, 'Figures were lost'),
            ),
      inject: [METRICS_ENGINE, Database, REPLICA],
    },
    { provide: DecisionStore, useClass: PrismaDecisionStore },
    { provide: FlawStore, useClass: PrismaFlaws },
    {
      provide: DecisionIntake,
      useFactory: (store: DecisionStore) => new DecisionIntake(store),
      inject: [DecisionStore],
    },
    {
      provide: DecisionsService,
      useFactory: (store: DecisionStore) => new DecisionsService(store),
      inject: [DecisionStore],
    },
    { provide: LiveFeed, useFactory: (live: LiveBroadcast) => new LiveFeed(live), inject: [LiveBroadcast] },
    {
      provide: SHARED_FEED,
      useFactory: (link: RedisLink | null, replica: string, live: LiveHub, feed: LiveFeed) =>
        link === null
          ? null
          : new RedisFeed({
              link,
              replica,
              watched: () => new Set(Array.from(live.watching(), ({ environment }) => environment)),
              heard: (rows) => feed.add(rows, Date.now()),
              monotonicMs: () => performance.now(),
            }),
      inject: [REDIS_LINK, REPLICA, LiveHub, LiveFeed],
    },
    {
      provide: Ingest,
      useFactory: (store: OutcomeStore, feed: LiveFeed, shared: RedisFeed | null) =>
        new Ingest(store, (rows) => {
          shared?.share(rows)
          feed.add(rows, Date.now())
        }),
      inject: [OutcomeStore, LiveFeed, SHARED_FEED],
    },
    { provide: OutcomeReader, useFactory: (store: OutcomeStore) => new OutcomeReader(store), inject: [OutcomeStore] },
    KeyRate,
    {
      provide: OwnMetrics,
      useFactory: (ingest: Ingest, rate: KeyRate, decisions: DecisionIntake, agents: AgentHub) =>
        new PromMetrics({ ingest, rate, decisions, agents }),
      inject: [Ingest, KeyRate, DecisionIntake, AgentHub],
    },
    OtlpController,
  ],
  exports: [OutcomeStore, METRICS_ENGINE],
})
export class OutcomesModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #pulses: Pulse[] = []

  constructor(
    private readonly otlp: OtlpController,
    private readonly store: OutcomeStore,
    private readonly feed: LiveFeed,
    private readonly decisions: DecisionStore,
    private readonly intake: DecisionIntake,
    private readonly ingest: Ingest,
    private readonly flaws: FlawStore,
    @Inject(SHARED_FEED) private readonly shared: RedisFeed | null,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance()
    void server.register(this.otlp.routes)
  }

  onApplicationBootstrap(): void {
    const failed = (error: unknown) => logger.error(error)
    this.#pulses.push(
      new Pulse(MAINTAIN_MS, () => this.store.maintain(Date.now()), failed),
      new Pulse(MAINTAIN_MS, () => this.decisions.maintain(Date.now()), failed),
      new Pulse(TICK_MS, () => this.intake.flush(Date.now()), failed),
      new Pulse(TICK_MS, () => this.flaws.note(this.ingest.books.take()), failed),
      new Pulse(MAINTAIN_MS, () => this.flaws.prune(), failed),
      new Pulse(TICK_MS, async () => this.feed.tick(Date.now()), failed),
      new Pulse(TICK_MS, async () => this.shared?.beat(), failed),
    )
  }

  async onApplicationShutdown(): Promise<void> {
    this.shared?.close()
    await Promise.all(this.#pulses.map((pulse) => pulse.close()))
  }
}
