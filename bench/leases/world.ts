import type { LeaseGranted } from '@weir/policy/model'
import { EventQueue, type Random, seededRandom } from '@weir/testkit'
import { LeaseDesk, type LeaseQuestion } from '../../apps/agent/src/leases/desk.ts'
import { leaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import { Draw } from './draw.ts'
import { Plane, type PlaneOptions } from './plane.ts'
import type { Replica } from './replica.ts'
import { Skew } from './skew.ts'

export interface WorldOptions extends Omit<PlaneOptions, 'timing'> {
  readonly seed: number
  readonly refreshMs: number
  readonly presumedDeadMs: number
  /** Of each message that it is lost, and how long it may take, milliseconds. */
  readonly loss: number
  readonly delayMs: number
}

/** How often an agent looks whether its demand has outgrown what it told, as a share of a refresh. */
const LOOK = 0.2
/** A message that is this late is later than all that came after it. */
const STRAGGLER = 0.02
const STRAGGLES_MS = 8_000
const RECONNECT_MS = 2_000

export interface SimAgent {
  readonly name: string
  readonly clock: Skew
  readonly draws: Draw[]
  alive: boolean
  /** No message comes or goes. */
  cut: boolean
  session: number
  connected: boolean
  /** Where its session is, or will be. */
  replica: Replica
  /** When that one opened the session, true time. */
  openedMs: number
  readonly desk: LeaseDesk
}

/** Agents, a control plane and a bad network on one true time; every one of them sees a clock of its own. The ledgers, leases and estimates are the real ones. */
export class World {
  readonly random: Random
  readonly plane: Plane
  readonly agents: SimAgent[] = []
  nowMs = 0
  loss: number
  delayMs: number
  readonly #options: WorldOptions
  readonly #events = new EventQueue<() => void>()

  constructor(options: WorldOptions) {
    this.#options = options
    this.loss = options.loss
    this.delayMs = options.delayMs
    this.random = seededRandom(options.seed)
    const timing = leaseTiming(options.refreshMs, options.presumedDeadMs)
    this.plane = new Plane({ ...options, timing }, this)
  }

  at(atMs: number, happens: () => void): void {
    this.#events.put(atMs, happens)
  }

  /** Runs what is due until `untilMs`; `after` is called after each event. */
  run(untilMs: number, after?: () => void): void {
    while (this.#events.nextMs <= untilMs) {
      const due = this.#events.take()
      if (due === undefined) break
      this.nowMs = due.atMs
      due.value()
      after?.()
    }
    this.nowMs = untilMs
  }

  /** What an agent may use of a quota at this moment, by its own clock. */
  usable(agent: SimAgent, draw: Draw): number {
    return agent.alive ? draw.usable(agent.clock.at(this.nowMs)) : 0
  }

  join(loads: readonly { readonly quota: number; readonly load: number }[]): SimAgent {
    const clock = new Skew(this.random)
    const localMs = clock.at(this.nowMs)
    const { quotas, refreshMs } = this.#options
    const agent: SimAgent = {
      name: `agent ${this.agents.length}`,
      clock,
      draws: loads.map(({ quota, load }) => new Draw(quota, quotas[quota]?.kind ?? 'rate', load, refreshMs, localMs)),
      alive: true,
      cut: false,
      session: 0,
      connected: false,
      replica: this.#someReplica(),
      openedMs: 0,
      desk: new LeaseDesk(refreshMs, this.random),
    }
    for (const draw of agent.draws) agent.desk.add(draw)
    this.agents.push(agent)
    this.#connect(agent)
    this.#wait(agent, LOOK * refreshMs * (1 + this.random()), () => this.#look(agent))
    return agent
  }

  /** A planned end: it stops, and gives back what it holds; the word may be lost. */
  leave(agent: SimAgent): void {
    if (!agent.alive) return
    agent.alive = false
    this.#toReplica(agent, (replica) => this.plane.release(replica, agent.name))
  }

  crash(agent: SimAgent): void {
    agent.alive = false
  }

  /** A replica dies with all that it knew; it is there again after `downMs`. */
  die(replica: Replica, downMs: number): void {
    this.plane.die(replica, downMs)
    for (const agent of this.agents) if (agent.replica === replica) this.#disconnect(agent)
  }

  /** The connection breaks; the agent comes back. */
  breaks(agent: SimAgent): void {
    this.#disconnect(agent)
  }

  #disconnect(agent: SimAgent): void {
    if (!agent.alive) return
    agent.session++
    agent.connected = false
    this.#wait(agent, RECONNECT_MS * (0.5 + this.random()), () => this.#connect(agent))
  }

  #connect(agent: SimAgent): void {
    const { session } = agent
    if (agent.connected) return
    const retryMs = RECONNECT_MS * (1 + this.random())
    agent.replica = this.#someReplica()
    this.#toReplica(agent, () => {
      const openedMs = this.nowMs
      this.#toAgent(agent, () => {
        agent.connected = true
        agent.openedMs = openedMs
        agent.desk.connected()
      })
    })
    this.#wait(agent, retryMs, () => {
      if (agent.session === session && !agent.connected) this.#connect(agent)
    })
  }

  /** Several looks make a refresh, one comes when it is time to ask. */
  #look(agent: SimAgent): void {
    const localMs = agent.clock.at(this.nowMs)
    for (const draw of agent.draws) draw.pass(localMs)
    if (agent.connected && agent.desk.isDue(localMs)) {
      const question = agent.desk.ask(localMs)
      this.#toReplica(agent, (replica) => this.#forward(agent, replica, question))
    }
    const { dueMs } = agent.desk
    const untilDueMs = dueMs > localMs ? dueMs - localMs : Number.POSITIVE_INFINITY
    this.#wait(agent, Math.min(untilDueMs, LOOK * this.#options.refreshMs), () => this.#look(agent))
  }

  #forward(agent: SimAgent, replica: Replica, { n, asked }: LeaseQuestion): void {
    const { session } = agent
    this.plane.ask(replica, agent.name, agent.openedMs, asked, (granted, answeredMs) => {
      if (agent.session === session) this.#toAgent(agent, () => this.#take(agent, n, granted, answeredMs))
    })
  }

  #take(agent: SimAgent, n: number, granted: readonly LeaseGranted[], answeredMs: number): void {
    const localMs = agent.clock.at(this.nowMs)
    const obeyed = agent.desk.take(n, granted, localMs)
    for (const { tenant, grant } of granted) {
      const draw = agent.draws.find(({ name }) => name.tenant === tenant)
      const held = draw?.lease.told(localMs)
      if (draw && held?.epoch === grant.epoch && held.id === grant.id) draw.grantedMs = answeredMs
    }
    if (obeyed.length > 0) this.#toReplica(agent, (at) => this.plane.obeyed(at, agent.name, agent.openedMs, obeyed))
  }

  /** One of those that a balancer takes for alive. */
  #someReplica(): Replica {
    const { living, replicas } = this.plane
    const among = living.length > 0 ? living : replicas
    return among[Math.floor(this.random() * among.length)] as Replica
  }

  #toReplica(agent: SimAgent, arrives: (replica: Replica) => void): void {
    const { replica } = agent
    this.#travel(agent, () => {
      if (replica.alive) arrives(replica)
    })
  }

  #toAgent(agent: SimAgent, arrives: () => void): void {
    this.#travel(agent, () => {
      if (agent.alive) arrives()
    })
  }

  /** What is of an earlier connection does not come any more. */
  #travel(agent: SimAgent, arrives: () => void): void {
    if (agent.cut || this.random() < this.loss) return
    const { session } = agent
    const lateMs = this.loss > 0 && this.random() < STRAGGLER ? STRAGGLES_MS : this.delayMs
    this.at(this.nowMs + this.random() * lateMs, () => {
      if (!agent.cut && agent.session === session) arrives()
    })
  }

  /** By the agent's own clock. */
  #wait(agent: SimAgent, ms: number, happens: () => void): void {
    this.at(this.nowMs + agent.clock.lasts(ms), () => {
      if (agent.alive) happens()
    })
  }
}
