import type { Server } from 'node:http'
import type { AgentHub } from '../features/agents/agent-hub.ts'
import type { AgentStore } from '../features/agents/agents-port.ts'
import type { Bus } from '../features/bus.ts'
import type { AgentKeys } from '../features/keys/agent-keys.ts'
import type { Leases } from '../features/leases/leases-port.ts'
import type { LiveHub } from '../features/live/live-hub.ts'
import type { EffectivePolicies } from '../features/policies/effective-policies.ts'
import type { UpgradeRouter } from './upgrade-router.ts'

const BEAT_MS = 200
const FLUSH_MS = 1_000
/** A revocation that this replica did not hear of takes this long. */
const KEYS_MS = 5_000
const PRUNE_MS = 600_000
/** Agents that ended stay in the list for a day, receipts for a month. */
const ENDED_KEPT_MS = 86_400_000
const RECEIPTS_KEPT_MS = 30 * 86_400_000
/** Newest receipts of one service. */
const RECEIPTS_KEPT = 10_000

export interface SocketParts {
  readonly router: UpgradeRouter
  readonly agents: AgentHub
  readonly leases: Pick<Leases, 'beat'>
  readonly live: LiveHub
  readonly store: Pick<AgentStore, 'prune'>
  readonly policies: Pick<EffectivePolicies, 'onChange'>
  readonly keys: Pick<AgentKeys, 'revoked'>
  readonly bus: Bus
  onError(error: unknown, where: string): void
}

/** Gives the hubs their beat and their news, and ends them: the one place with timers. */
export class Sockets {
  private readonly endings: (() => void)[] = []
  private flushing = false

  constructor(private readonly parts: SocketParts) {}

  start(server: Server): void {
    const { router, agents, leases, live, policies, bus } = this.parts
    router.attach(server)
    this.endings.push(
      policies.onChange(({ serviceId }) => void agents.refresh(serviceId)),
      bus.subscribe('key-revoked', ({ keyId }) => agents.keyRevoked(keyId)),
      bus.subscribe('published', ({ environment, ...notice }) => live.published(environment, notice)),
    )
    this.every(BEAT_MS, () => agents.beat())
    this.every(FLUSH_MS, () => {
      live.beat()
      leases.beat()
      void this.flush()
    })
    this.every(KEYS_MS, () => void this.lookAtKeys())
    this.every(PRUNE_MS, () => void this.prune())
  }

  /** Tells every peer, writes what is known, waits until they are gone. */
  async stop(): Promise<void> {
    for (const end of this.endings.splice(0)) end()
    const { router, agents, live } = this.parts
    router.stop()
    live.drain()
    await agents.drain()
    await router.ended()
  }

  private every(ms: number, work: () => void): void {
    const timer = setInterval(() => {
      try {
        work()
      } catch (error) {
        this.parts.onError(error, 'sockets')
      }
    }, ms)
    timer.unref()
    this.endings.push(() => clearInterval(timer))
  }

  private async flush(): Promise<void> {
    if (this.flushing) return
    this.flushing = true
    await this.openWatched()
    await this.parts.agents.flush().catch((error: unknown) => this.parts.onError(error, 'agents: flush'))
    this.flushing = false
  }

  /** Agents of other replicas are shown too, where none of theirs is here. */
  private async openWatched(): Promise<void> {
    const { agents, live, onError } = this.parts
    if (!agents.hasOthers) return
    for (const { environment, service } of live.watching())
      if (service !== null)
        await agents.room({ environment, service }).catch((error: unknown) => onError(error, 'agents: room'))
  }

  private async lookAtKeys(): Promise<void> {
    const { agents, keys, onError } = this.parts
    const ids = agents.keyIds
    if (ids.length === 0) return
    try {
      for (const keyId of await keys.revoked(ids)) agents.keyRevoked(keyId)
    } catch (error) {
      onError(error, 'agents: keys')
    }
  }

  private async prune(): Promise<void> {
    const now = Date.now()
    await this.parts.store
      .prune({
        endedBefore: new Date(now - ENDED_KEPT_MS),
        receiptsBefore: new Date(now - RECEIPTS_KEPT_MS),
        receiptsKept: RECEIPTS_KEPT,
      })
      .catch((error: unknown) => this.parts.onError(error, 'agents: prune'))
  }
}
