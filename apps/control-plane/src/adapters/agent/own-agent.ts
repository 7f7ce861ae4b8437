import { type Entry, Weir } from '@weir/agent'
import { GATE_REASONS } from '@weir/wire/model'
import { type Admission, type OwnEnd, type OwnGate, OwnGates, type OwnWork } from '../../features/self/own-gates.ts'

/** How often it is looked whether there is a key to be had. */
const LOOK_MS = 5_000

export interface OwnAgentParts {
  /** A key for this replica; `null`: there is nothing to watch for yet. */
  readonly key: () => Promise<string | null>
  readonly onError: (error: unknown) => void
}

/**
 * The agent inside the control plane, which speaks to the control plane over its own sockets like any other: its policy is published, its figures are seen and
 * its refusals are explained in the same places. Its own exports pass its own gate, one a second, which they count and do not multiply.
 * Until it has a key its gates are not there, and everything is admitted.
 */
export class OwnAgent extends OwnGates {
  readonly #parts: OwnAgentParts
  #weir: Weir | null = null
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(parts: OwnAgentParts) {
    super()
    this.#parts = parts
  }

  /** Begins to look for a key. `url`: where this replica listens. */
  start(url: string, instance: string): void {
    this.#begin(url, instance)
      .catch(this.#parts.onError)
      .finally(() => {
        if (this.#weir !== null || this.#closed) return
        this.#timer = setTimeout(() => this.start(url, instance), LOOK_MS)
        this.#timer.unref()
      })
  }

  override async enter(name: OwnGate, { tenant, criticality, route, signal }: OwnWork): Promise<Admission> {
    if (this.#weir === null) return OPEN
    const entry = await this.#weir.gate(name).acquire({ tenant, criticality, route, signal })
    return admission(entry)
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#weir?.close()
  }

  async #begin(url: string, instance: string): Promise<void> {
    const key = await this.#parts.key()
    if (key === null || this.#closed) return
    const { onError } = this.#parts
    const options = { controlPlane: url.replace(/^http/, 'ws'), key, instance, snapshotDir: false, onError } as const
    this.#weir = await Weir.start({ ...options, allowInsecure: true })
  }
}

const OPEN: Admission = { admitted: true, end: () => undefined }

const admission = (entry: Entry): Admission => {
  if (entry.accepted)
    return {
      admitted: true,
      end: (how: OwnEnd) => {
        if (how === 'done') entry.success()
        else if (how === 'failed') entry.failure()
        else {
          entry.cancel()
          entry.ignored()
        }
      },
    }
  const { reason, signal, retryAfterMs } = entry
  const said = reason === 'cancelled' ? null : GATE_REASONS[reason]
  return { admitted: false, status: said?.status ?? 503, title: said?.title ?? 'Its sender left', signal, retryAfterMs }
}
