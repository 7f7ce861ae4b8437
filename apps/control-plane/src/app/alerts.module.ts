import { Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { PrismaAlertLeader } from '../adapters/prisma/alert-leader.ts'
import { PrismaAlertRules } from '../adapters/prisma/alert-rules.ts'
import { PrismaAlertBook } from '../adapters/prisma/alerts.ts'
import { AlertBook, Deposed } from '../features/alerts/alert-book.ts'
import { AlertWatch } from '../features/alerts/alert-watch.ts'
import { FiguresFeed } from '../features/alerts/figures-feed.ts'
import { AlertLeader } from '../features/alerts/leader.ts'
import { PublishedLimits } from '../features/alerts/published.ts'
import { AlertRulesStore } from '../features/alerts/rules-store.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { EffectivePolicies } from '../features/policies/effective-policies.ts'
import { AlertRulesController } from '../http/alert-rules.controller.ts'
import { AlertsController } from '../http/alerts.controller.ts'
import { OutcomesModule } from './outcomes.module.ts'
import { Pulse } from './pulse.ts'

const logger = new Logger('alerts')
const TICK_MS = 1_000

/** Rules, what fires, and who judges. */
@Module({
  imports: [OutcomesModule],
  controllers: [AlertsController, AlertRulesController],
  providers: [
    { provide: AlertBook, useClass: PrismaAlertBook },
    { provide: AlertRulesStore, useClass: PrismaAlertRules },
    { provide: AlertLeader, useClass: PrismaAlertLeader },
    {
      provide: AlertWatch,
      useFactory: (
        leader: AlertLeader,
        book: AlertBook,
        store: OutcomeStore,
        policies: EffectivePolicies,
        live: LiveBroadcast,
      ) =>
        new AlertWatch({ leader, book, feed: new FiguresFeed(store), published: new PublishedLimits(policies), live }),
      inject: [AlertLeader, AlertBook, OutcomeStore, EffectivePolicies, LiveBroadcast],
    },
  ],
})
export class AlertsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  #pulse: Pulse | null = null

  constructor(
    private readonly watch: AlertWatch,
    private readonly leader: AlertLeader,
  ) {}

  onApplicationBootstrap(): void {
    const failed = (error: unknown) => {
      if (!(error instanceof Deposed)) logger.error(error)
    }
    this.#pulse = new Pulse(TICK_MS, async () => void (await this.watch.tick()), failed)
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pulse?.close()
    await this.leader.release().catch(() => {})
  }
}
