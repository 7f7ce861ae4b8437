import { Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { PrismaAlertLeader } from '../adapters/prisma/alert-leader.ts'
import { PrismaAlertRules } from '../adapters/prisma/alert-rules.ts'
import { PrismaAlertBook } from '../adapters/prisma/alerts.ts'
import { AlertBook, Deposed } from '../features/alerts/alert-book.ts'
import { AlertWatch } from '../features/alerts/alert-watch.ts'
import { FiguresFeed } from '../features/alerts/figures-feed.ts'
import { AlertLeader, HeldTerm } from '../features/alerts/leader.ts'
import { PublishedLimits } from '../features/alerts/published.ts'
import { AlertRulesStore } from '../features/alerts/rules-store.ts'
import { Bus } from '../features/bus.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { Dispatcher } from '../features/notifications/dispatcher.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { EffectivePolicies } from '../features/policies/effective-policies.ts'
import { AlertRulesController } from '../http/alert-rules.controller.ts'
import { AlertsController } from '../http/alerts.controller.ts'
import { NotificationsModule } from './notifications.module.ts'
import { OutcomesModule } from './outcomes.module.ts'
import { Pulse } from './pulse.ts'

const logger = new Logger('alerts')
const TICK_MS = 1_000
const PRUNE_MS = 3_600_000
/** The watchdog says that alerts are judged only if they were within this. */
const FRESH_MS = 30_000

/** Rules, what fires, who judges; and in the replica that judges, telling people. */
@Module({
  imports: [OutcomesModule, NotificationsModule],
  controllers: [AlertsController, AlertRulesController],
  providers: [
    { provide: AlertBook, useClass: PrismaAlertBook },
    { provide: AlertRulesStore, useClass: PrismaAlertRules },
    { provide: AlertLeader, useClass: PrismaAlertLeader },
    {
      provide: AlertWatch,
      useFactory: (leader: AlertLeader, book: AlertBook, store: OutcomeStore, policies: EffectivePolicies, bus: Bus) =>
        new AlertWatch({
          leader,
          book,
          feed: new FiguresFeed(store),
          published: new PublishedLimits(policies),
          tell: (environment, alert) => bus.publish('alert', { environment, alert }),
        }),
      inject: [AlertLeader, AlertBook, OutcomeStore, EffectivePolicies, Bus],
    },
  ],
})
export class AlertsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #pulses: Pulse[] = []
  #judgedAt = Number.NEGATIVE_INFINITY
  #judges = false
  #unsubscribe = () => {}
  readonly #held: HeldTerm

  constructor(
    private readonly watch: AlertWatch,
    private readonly leader: AlertLeader,
    private readonly book: AlertBook,
    private readonly dispatcher: Dispatcher,
    private readonly bus: Bus,
    private readonly live: LiveBroadcast,
  ) {
    this.#held = new HeldTerm(leader, () => performance.now())
  }

  onApplicationBootstrap(): void {
    this.#unsubscribe = this.bus.subscribe('alert', ({ environment, alert }) => this.live.alert(environment, alert))
    const failed = (error: unknown) => {
      if (!(error instanceof Deposed)) logger.error(error)
    }
    this.#pulses.push(
      new Pulse(TICK_MS, () => this.#judge(), failed),
      new Pulse(TICK_MS, () => this.#held.keep(), failed),
      new Pulse(TICK_MS, () => this.#tell(), failed),
      new Pulse(PRUNE_MS, () => this.book.prune(), failed),
    )
  }

  async onApplicationShutdown(): Promise<void> {
    this.#unsubscribe()
    await Promise.all(this.#pulses.map((pulse) => pulse.close()))
    await this.dispatcher.settled()
    await this.leader.release().catch(() => {})
  }

  async #judge(): Promise<void> {
    const judges = await this.#held.during(() => this.watch.tick())
    if (this.#judges && !judges) this.dispatcher.rest()
    this.#judges = judges
    if (judges) this.#judgedAt = performance.now()
  }

  async #tell(): Promise<void> {
    if (this.#judges) await this.dispatcher.tick(performance.now() - this.#judgedAt < FRESH_MS)
  }
}
