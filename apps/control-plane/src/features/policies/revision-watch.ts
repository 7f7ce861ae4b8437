import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Bus } from '../bus.ts'
import type { ServiceRef } from '../services/service-ref.ts'
import { EffectivePolicies, type EffectiveSnapshot, type RevisionChange, RevisionSource } from './effective-policies.ts'

/** A lost hint costs this much. */
const POLL_MS = 1_000
/** Snapshots kept in memory: at most 1 MiB each. */
const KEPT = 64

/**
 * Knows the newest revision of every service: told by a hint at once, and by looking each second whatever the hints do.
 * A snapshot is read once per revision, however many agents ask at the same moment.
 */
@Injectable()
export class RevisionWatch extends EffectivePolicies implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('revisions')
  readonly #seen = new Map<string, RevisionChange>()
  readonly #kept = new Map<
    string,
    { readonly revision: number; readonly snapshot: Promise<EffectiveSnapshot | null> }
  >()
  readonly #handlers = new Set<(change: RevisionChange) => void>()
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  #again = false
  #failing = false
  #unsubscribe: () => void = () => {}

  constructor(
    private readonly source: RevisionSource,
    private readonly bus: Bus,
  ) {
    super()
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#unsubscribe = this.bus.subscribe('revision', () => void this.look())
    await this.look()
    this.#timer = setInterval(() => void this.look(), POLL_MS)
    this.#timer.unref()
  }

  async onModuleDestroy(): Promise<void> {
    this.#unsubscribe()
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#looking
  }

  override onChange(handler: (change: RevisionChange) => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  override latest(serviceId: string): Promise<EffectiveSnapshot | null> {
    const revision = this.#seen.get(serviceId)?.revision ?? 0
    const kept = this.#kept.get(serviceId)
    if (kept !== undefined && kept.revision >= revision) return kept.snapshot
    const snapshot = this.source.newest(serviceId)
    this.#keep(serviceId, revision, snapshot)
    snapshot.catch(() => this.#kept.delete(serviceId))
    return snapshot
  }

  override async of({ environment, service }: ServiceRef): Promise<EffectiveSnapshot | null> {
    for (const seen of this.#seen.values())
      if (seen.environment === environment && seen.service === service) return this.latest(seen.serviceId)
    return null
  }

  /** Looks now; a call during a look leads to one more. */
  look(): Promise<void> {
    if (this.#looking !== null) {
      this.#again = true
      return this.#looking
    }
    const looking = this.#run().finally(() => {
      this.#looking = null
    })
    this.#looking = looking
    return looking
  }

  async #run(): Promise<void> {
    do {
      this.#again = false
      try {
        for (const change of await this.source.revisions()) this.#note(change)
        this.#failing = false
      } catch (error) {
        if (!this.#failing)
          this.#logger.warn(`Revisions cannot be read: ${error instanceof Error ? error.message : String(error)}`)
        this.#failing = true
      }
    } while (this.#again)
  }

  #note(change: RevisionChange): void {
    const before = this.#seen.get(change.serviceId)
    if (before !== undefined && before.revision >= change.revision) return
    this.#seen.set(change.serviceId, change)
    for (const handler of this.#handlers) handler(change)
  }

  #keep(serviceId: string, revision: number, snapshot: Promise<EffectiveSnapshot | null>): void {
    this.#kept.delete(serviceId)
    this.#kept.set(serviceId, { revision, snapshot })
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
