import type { AuditLog } from './audit-log.ts'
import { boundedDetail } from './audit-log.ts'
import { RefusalBook, type Written } from './refusals.ts'

/** A refusal of access: `sign-in`, `session`, `token`, `role`, `cross-site`, `set-up`, `key` (of an agent), … */
export interface AccessRefusal {
  readonly what: string
  readonly ip: string
  /** Who it was, as far as known; default: nobody. */
  readonly actor?: string
  readonly environment?: string
  readonly service?: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Every refusal of access goes here; how much of it reaches the audit is bounded. Never throws, never waits. */
export abstract class RefusalLog {
  abstract note(refusal: AccessRefusal): void
}

const SWEEP_MS = 10_000

/** Writes to the audit what `RefusalBook` lets through, told apart by what was refused and from which address. */
export class AuditedRefusals extends RefusalLog {
  readonly #book: RefusalBook
  readonly #last = new Map<string, AccessRefusal>()
  readonly #timer: NodeJS.Timeout
  readonly #audit: Pick<AuditLog, 'write'>
  readonly #failed: (error: unknown) => void
  readonly #now: () => number
  #writing: Promise<unknown> = Promise.resolve()

  /** `failed` hears of entries that the database did not take. `now`: monotonic, ms. */
  constructor(audit: Pick<AuditLog, 'write'>, failed: (error: unknown) => void, now: () => number) {
    super()
    this.#audit = audit
    this.#failed = failed
    this.#now = now
    this.#book = new RefusalBook(now())
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  override note(refusal: AccessRefusal): void {
    const key = `${refusal.what} ${refusal.ip} ${refusal.actor ?? ''}`.slice(0, 256)
    const written = this.#book.note(key, this.#now())
    if (written === null) return
    this.#last.set(key, refusal)
    this.#write(refusal, written)
  }

  /** Tells the repeats of windows that are over. */
  sweep(): void {
    for (const written of this.#book.sweep(this.#now())) {
      const refusal = this.#last.get(written.key)
      if (refusal !== undefined) this.#write(refusal, written)
    }
    for (const key of this.#last.keys()) if (!this.#book.has(key)) this.#last.delete(key)
  }

  /** Resolves when what was noted is in the audit. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  #write(refusal: AccessRefusal, { repeats, others }: Written): void {
    const counts = { ...(repeats > 0 ? { repeats } : {}), ...(others > 0 ? { others } : {}) }
    const entry = {
      actor: (refusal.actor ?? 'nobody').slice(0, 256),
      action: `refused.${refusal.what}`,
      environment: refusal.environment ?? null,
      service: refusal.service ?? null,
      target: refusal.ip.slice(0, 64),
      detail: { ...boundedDetail(refusal.detail ?? {}), ...counts },
    }
    const write = this.#audit.write(entry).catch(this.#failed)
    this.#writing = Promise.all([this.#writing, write])
  }
}
