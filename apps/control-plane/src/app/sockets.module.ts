import { randomUUID } from 'node:crypto'
import { Global, Inject, Logger, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { EffectivePolicy } from '@weir/policy/model'
import { PrismaAgentStore } from '../adapters/prisma/agents.ts'
import { Database } from '../adapters/prisma/database.ts'
import { PrismaLeaseStore } from '../adapters/prisma/leases.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { REPLICA } from '../config/replica.ts'
import { Callers } from '../features/access/caller.ts'
import { Identity } from '../features/access/identity.ts'
import { AgentAccess } from '../features/agents/agent-access.ts'
import { AgentHub } from '../features/agents/agent-hub.ts'
import { AgentsService } from '../features/agents/agents.service.ts'
import { AgentStore } from '../features/agents/agents-port.ts'
import { FeedbackService } from '../features/agents/feedback.service.ts'
import { LeasesService } from '../features/agents/leases.service.ts'
import { NO_OTHERS, Others } from '../features/agents/others.ts'
import { pushedPolicy } from '../features/agents/pushed-policy.ts'
import { AuditLog } from '../features/audit/audit-log.ts'
import { RefusalLog } from '../features/audit/refusal-log.ts'
import { Bus } from '../features/bus.ts'
import { NOTHING_ELSEWHERE } from '../features/feedback/feedback.ts'
import { SharedFeedback } from '../features/feedback/shared-feedback.ts'
import { AgentKeys } from '../features/keys/agent-keys.ts'
import { CLAIM_TIMING } from '../features/leases/claim-store.ts'
import { LeaseStore, Leases } from '../features/leases/leases-port.ts'
import { OwnBooks } from '../features/leases/own-books.ts'
import type { SharedBooks } from '../features/leases/shared-books.ts'
import { LiveHub } from '../features/live/live-hub.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { EffectivePolicies } from '../features/policies/effective-policies.ts'
import { AgentLeasesController } from '../http/agent-leases.controller.ts'
import { AgentPolicyController } from '../http/agent-policy.controller.ts'
import { AgentsController } from '../http/agents.controller.ts'
import { AgentEndpoint } from '../ws/agent-endpoint.ts'
import { LiveEndpoint } from '../ws/live-endpoint.ts'
import { Sockets } from '../ws/sockets.ts'
import { UpgradeRouter } from '../ws/upgrade-router.ts'
import { Pulse } from './pulse.ts'
import { REDIS_LINK } from './runtime.module.ts'
import { SHARED_BOOKS, sharedBooks } from './shared-books.ts'

/** Injection token; `null` where there is one replica. */
const SHARED_FEEDBACK = Symbol('shared feedback')
/** How often replicas tell each other what their agents say. */
const TELL_MS = 1_000
const logger = new Logger('sockets')
const onError = (error: unknown, where: string) => logger.error(error, where)
const clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

const agentHub = (
  store: AgentStore,
  leases: Leases,
  live: LiveHub,
  policies: EffectivePolicies,
  refusals: RefusalLog,
  audit: AuditLog,
  { databaseId }: Database,
  { redis }: Config,
  sharing: SharedFeedback | null,
): AgentHub =>
  new AgentHub({
    databaseId,
    store,
    leases,
    live,
    clock,
    onError,
    feedback: sharing ?? NOTHING_ELSEWHERE,
    others: redis === null ? NO_OTHERS : new Others(store, clock.monotonicMs),
    policy: async (serviceId) => {
      const latest = await policies.latest(serviceId)
      return latest === null ? null : pushedPolicy(latest, latest.effective)
    },
    misbehaved: ({ ip, keyId, environment, service }, how, instance) =>
      refusals.note({ what: 'agent-socket', ip, actor: keyId, environment, service, detail: { how, instance } }),
    databaseChanged: ({ environment, service }, target, from) => {
      const entry = { actor: 'agent', action: 'agent.database-changed', environment, service, target, detail: { from } }
      audit.write(entry).catch((error: unknown) => onError(error, 'audit'))
    },
  })

/** How often agents ask for leases, milliseconds, where tests want another pace than the usual one. */
export class LeasePace {
  readonly refreshMs: number | undefined = undefined
}

const ownBooks = (store: LeaseStore, policies: EffectivePolicies, { refreshMs }: LeasePace): OwnBooks =>
  new OwnBooks({
    store,
    inForce: async (serviceId) => {
      const latest = await policies.latest(serviceId)
      if (latest === null) return null
      const { quotas } = JSON.parse(latest.effective) as EffectivePolicy
      return { revision: latest.revision, quotas }
    },
    monotonicMs: clock.monotonicMs,
    random: Math.random,
    epoch: randomUUID,
    refreshMs,
    onError: (error) => onError(error, 'leases'),
  })

/** Agents and dashboards: their sockets, and what REST says of agents. */
@Global()
@Module({
  controllers: [AgentsController, AgentPolicyController, AgentLeasesController],
  providers: [
    { provide: AgentStore, useClass: PrismaAgentStore },
    { provide: LeaseStore, useClass: PrismaLeaseStore },
    LeasePace,
    { provide: OwnBooks, useFactory: ownBooks, inject: [LeaseStore, EffectivePolicies, LeasePace] },
    { provide: SHARED_BOOKS, useFactory: sharedBooks, inject: [OwnBooks, REDIS_LINK, REPLICA] },
    {
      provide: Leases,
      useFactory: (own: OwnBooks, shared: SharedBooks | null) => shared ?? own,
      inject: [OwnBooks, SHARED_BOOKS],
    },
    {
      provide: LiveHub,
      useFactory: ({ databaseId }: Database) => new LiveHub(() => databaseId, clock),
      inject: [Database],
    },
    { provide: LiveBroadcast, useExisting: LiveHub },
    {
      provide: SHARED_FEEDBACK,
      useFactory: ({ redis }: Config, bus: Bus, replica: string) =>
        redis === null ? null : new SharedFeedback(bus, replica, clock.monotonicMs),
      inject: [CONFIG, Bus, REPLICA],
    },
    {
      provide: AgentHub,
      useFactory: agentHub,
      inject: [AgentStore, Leases, LiveHub, EffectivePolicies, RefusalLog, AuditLog, Database, CONFIG, SHARED_FEEDBACK],
    },
    {
      provide: AgentAccess,
      useFactory: (keys: AgentKeys, refusals: RefusalLog) => new AgentAccess(keys, refusals),
      inject: [AgentKeys, RefusalLog],
    },
    {
      provide: AgentsService,
      useFactory: (hub: AgentHub, store: AgentStore, { databaseId }: Database) =>
        new AgentsService(hub, store, databaseId, clock),
      inject: [AgentHub, AgentStore, Database],
    },
    {
      provide: FeedbackService,
      useFactory: (hub: AgentHub) => new FeedbackService(hub),
      inject: [AgentHub],
    },
    {
      provide: LeasesService,
      useFactory: (hub: AgentHub, leases: Leases, policies: EffectivePolicies) =>
        new LeasesService(hub, leases, policies),
      inject: [AgentHub, Leases, EffectivePolicies],
    },
    {
      provide: UpgradeRouter,
      useFactory: (agents: AgentHub, access: AgentAccess, live: LiveHub, identity: Identity, callers: Callers) =>
        new UpgradeRouter(
          [new AgentEndpoint(agents, access, callers), new LiveEndpoint(live, identity, callers)],
          (error) => onError(error, 'upgrade'),
        ),
      inject: [AgentHub, AgentAccess, LiveHub, Identity, Callers],
    },
    {
      provide: Sockets,
      useFactory: (
        router: UpgradeRouter,
        agents: AgentHub,
        leases: Leases,
        live: LiveHub,
        store: AgentStore,
        policies: EffectivePolicies,
        keys: AgentKeys,
        bus: Bus,
      ) => new Sockets({ router, agents, leases, live, store, policies, keys, bus, onError }),
      inject: [UpgradeRouter, AgentHub, Leases, LiveHub, AgentStore, EffectivePolicies, AgentKeys, Bus],
    },
  ],
  exports: [AgentHub, LiveBroadcast, LiveHub],
})
export class SocketsModule implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #pulses: Pulse[] = []

  constructor(
    private readonly sockets: Sockets,
    @Inject(SHARED_FEEDBACK) private readonly sharing: SharedFeedback | null,
    private readonly hub: AgentHub,
    @Inject(SHARED_BOOKS) private readonly books: SharedBooks | null,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const { books, sharing, hub } = this
    const failed = (error: unknown) => onError(error, 'replicas')
    if (books !== null) this.#pulses.push(new Pulse(CLAIM_TIMING.turnMs, () => books.turn(), failed))
    const tell = async () => sharing?.tell(hub.fleets, (fleet) => hub.feedback.statesOf(fleet))
    if (sharing !== null) this.#pulses.push(new Pulse(TELL_MS, tell, failed))
    this.sockets.start(this.host.httpAdapter.getHttpServer())
  }

  /** Books go first: whoever keeps them next is ready when the agents come. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#pulses.map((pulse) => pulse.close()))
    await this.books?.end()
    await this.sockets.stop()
  }
}
