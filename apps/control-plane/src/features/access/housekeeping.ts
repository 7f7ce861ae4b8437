import type { AuditLog } from '../audit/audit-log.ts'
import type { TokenStore } from './tokens.ts'

const EVERY_MS = 3_600_000

/** Keeps what outsiders can make grow from growing: old refusals in the audit, tokens long dead, sessions that are over. */
export class Housekeeping {
  readonly #timer: NodeJS.Timeout
  readonly #chores: readonly (() => Promise<unknown>)[]
  readonly #failed: (error: unknown) => void

  constructor(
    audit: Pick<AuditLog, 'forgetOldRefusals'>,
    tokens: Pick<TokenStore, 'forgetDead'>,
    sessions: { forgetEnded(): Promise<unknown> },
    failed: (error: unknown) => void,
  ) {
    this.#chores = [() => audit.forgetOldRefusals(), () => tokens.forgetDead(), () => sessions.forgetEnded()]
    this.#failed = failed
    this.#timer = setInterval(() => void this.run(), EVERY_MS)
    this.#timer.unref()
  }

  /** One chore's error stops no other. */
  async run(): Promise<void> {
    for (const chore of this.#chores) await chore().catch(this.#failed)
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
