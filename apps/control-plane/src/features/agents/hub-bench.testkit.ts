import { BUILT_IN_POLICY, type EffectivePolicy } from '@weir/policy/model'
import type { AgentMessage, Hello } from '@weir/wire'
import { MemoryBus } from '../../adapters/memory/memory-bus.ts'
import { NOTHING_ELSEWHERE } from '../feedback/feedback.ts'
import { SharedFeedback } from '../feedback/shared-feedback.ts'
import { OwnBooks } from '../leases/own-books.ts'
import { RecordingSocket } from '../live/recording-socket.testkit.ts'
import type { AgentBounds } from './agent-bounds.ts'
import { AgentHub } from './agent-hub.ts'
import type { ServiceRef } from './agent-record.ts'
import type { AgentKeyIdentity } from './agent-session.ts'
import { MemoryAgentStore } from './memory-agent-store.testkit.ts'
import { NO_OTHERS, Others } from './others.ts'
import { type PushedPolicy, pushedPolicy } from './pushed-policy.ts'

export const ORDERS: ServiceRef = { environment: 'prod', service: 'orders' }
export const DATABASE = 'db-1'
export const hashOf = (revision: number): string => revision.toString(16).padStart(64, '0')
export const policyOf = (revision: number, databaseId = DATABASE): PushedPolicy =>
  pushedPolicy({ databaseId, revision, hash: hashOf(revision) }, { policy: BUILT_IN_POLICY, quotas: {} })

export class VirtualClock {
  ms = 0
  readonly startMs = 1_800_000_000_000
  monotonicMs = (): number => this.ms
  wallMs = (): number => this.startMs + this.ms
}

export const hello = (instance: string, rest: Partial<Hello> = {}): Hello => ({
  type: 'hello',
  instance,
  boot: `${instance}-boot`,
  zone: null,
  host: 'box',
  pid: 7,
  agentVersion: '0.1.0',
  modeOverride: null,
  applied: null,
  source: 'built-in',
  ...rest,
})

/** A connected agent of a test. */
export class TestAgent {
  readonly socket = new RecordingSocket()

  constructor(private readonly connection: { message(text: string | null): void; closed(): void }) {}

  say(message: AgentMessage): void {
    this.connection.message(JSON.stringify(message))
  }

  raw(text: string | null): void {
    this.connection.message(text)
  }

  hangUp(): void {
    this.connection.closed()
  }

  receipt(revision: number, status: 'applied' | 'partly' | 'refused'): void {
    const refused = status === 'applied' ? [] : [{ path: 'gates.checkout', message: 'Cannot do this.' }]
    this.say({ type: 'receipt', databaseId: DATABASE, revision, hash: hashOf(revision), status, refused })
  }

  of(type: string): { type: string; [member: string]: unknown }[] {
    return this.socket.messages().filter((message) => message.type === type)
  }
}

/** A hub on virtual time over a store that outlives it. */
export class HubBench {
  readonly clock: VirtualClock
  readonly store: MemoryAgentStore
  readonly misbehaviours: { how: string; instance: string | null }[] = []
  readonly databases: { instance: string; from: string }[] = []
  readonly errors: unknown[] = []
  readonly told: { service: string; instances: string[] }[] = []
  readonly serviceId: string
  watched = false
  hub: AgentHub
  /** Of the control plane that runs. */
  books: OwnBooks
  private lives = 0

  readonly sharing: SharedFeedback | null
  readonly bus: MemoryBus
  private readonly others: Pick<Others, 'isFresh' | 'look'>

  /** `beside`: a replica over the same store and time. */
  constructor(
    private readonly bounds: Partial<AgentBounds> = {},
    replicas: { readonly name: string; readonly beside?: HubBench } | null = null,
  ) {
    const { name, beside } = replicas ?? {}
    this.clock = beside?.clock ?? new VirtualClock()
    const store = beside?.store ?? new MemoryAgentStore()
    store.wallMs = this.clock.wallMs
    store.databaseId = DATABASE
    this.store = name === undefined ? store : store.of(name)
    this.serviceId = this.store.addService(ORDERS)
    this.bus = beside?.bus ?? new MemoryBus()
    this.sharing = name === undefined ? null : new SharedFeedback(this.bus, name, this.clock.monotonicMs)
    this.others = replicas === null ? NO_OTHERS : new Others(this.store, this.clock.monotonicMs)
    this.books = this.newBooks()
    this.hub = this.start()
  }

  /** A new control plane over the same store. */
  start(): AgentHub {
    this.books = this.newBooks()
    this.hub = new AgentHub(
      {
        databaseId: DATABASE,
        store: this.store,
        leases: this.books,
        live: {
          watched: () => this.watched,
          agents: (_, service, agents) => this.told.push({ service, instances: agents.map((agent) => agent.instance) }),
        },
        clock: this.clock,
        others: this.others,
        feedback: this.sharing ?? NOTHING_ELSEWHERE,
        policy: (serviceId) => this.store.policy(serviceId),
        misbehaved: (_, how, instance) => this.misbehaviours.push({ how, instance }),
        databaseChanged: (_, instance, from) => this.databases.push({ instance, from }),
        onError: (error) => this.errors.push(error),
      },
      this.bounds,
    )
    return this.hub
  }

  async connect(message: Hello | null, keyId = 'key-1'): Promise<TestAgent> {
    const key: AgentKeyIdentity = { ...ORDERS, keyId, ip: '10.0.0.7' }
    const room = await this.hub.room(ORDERS)
    if (room === null) throw new Error('no such service')
    let connection: ReturnType<AgentHub['connect']> | null = null
    const agent = new TestAgent({
      message: (text) => connection?.message(text),
      closed: () => connection?.closed(),
    })
    connection = this.hub.connect(agent.socket, key, room)
    if (message !== null) agent.say(message)
    return agent
  }

  async publish(revision: number, effective?: EffectivePolicy): Promise<void> {
    const identity = { databaseId: DATABASE, revision, hash: hashOf(revision) }
    this.store.policies.set(this.serviceId, effective ? pushedPolicy(identity, effective) : policyOf(revision))
    await this.hub.refresh(this.serviceId)
  }

  /** What is due at this moment. */
  async beat(eachSecond: () => void = () => undefined): Promise<void> {
    this.hub.beat()
    if (this.clock.ms % 1000 !== 0) return
    eachSecond()
    await this.hub.flush()
    this.sharing?.tell(this.hub.fleets, (fleet) => this.hub.feedback.statesOf(fleet))
  }

  /** Lets time pass in steps of 200 ms; `each` second is told. */
  async pass(ms: number, eachSecond: () => void = () => undefined): Promise<void> {
    for (let passed = 0; passed < ms; passed += 200) {
      this.clock.ms += 200
      await this.beat(eachSecond)
    }
  }

  private newBooks(): OwnBooks {
    this.lives++
    const inForce = async (serviceId: string) => {
      const policy = await this.store.policy(serviceId)
      if (policy === null) return null
      const { effective } = JSON.parse(policy.body.toString()) as { effective: EffectivePolicy }
      return { revision: policy.identity.revision, quotas: effective.quotas }
    }
    return new OwnBooks({
      store: {
        before: async (serviceId) => {
          const members = (await this.store.room(ORDERS))?.members ?? []
          const quotas = (await inForce(serviceId))?.quotas ?? {}
          return { agents: new Set(members.map(({ instance }) => instance)), quotas }
        },
      },
      inForce,
      monotonicMs: this.clock.monotonicMs,
      random: () => 0,
      epoch: () => `life ${this.lives}`,
      onError: (error) => this.errors.push(error),
    })
  }
}
