import type { Audit, Page, PageQuery } from '@weir/api'
import type { Result } from '../result.ts'

/** What somebody did. `action` is `thing.verb`, such as `operator.create`; refusals of access are `refused.<what>`. */
export interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly environment?: string | null
  readonly service?: string | null
  readonly target?: string | null
  readonly detail?: Readonly<Record<string, unknown>>
}

/**
 * Append-only: nothing here changes or removes an entry, and the database refuses it too, save for refusals that are older
 * than `REFUSALS_KEPT_DAYS`. Changes write theirs in the transaction of the change, not here.
 */
export abstract class AuditLog {
  abstract write(entry: AuditEntry): Promise<void>
  /** The newest first. Refused: a cursor that is not ours. */
  abstract page(query: PageQuery): Promise<Result<Page<Audit>>>
  /** Removes refusals older than `REFUSALS_KEPT_DAYS`; returns how many. */
  abstract forgetOldRefusals(): Promise<number>
}

/** Anybody can cause refusals, so they must not stay for ever. The database's own rule says the same number. */
export const REFUSALS_KEPT_DAYS = 30

const MAX_ENTRIES = 16
const MAX_TEXT = 256

/** A detail that an outsider had a hand in, cut to a size: at most 16 plain values, texts of at most 256 characters. */
export const boundedDetail = (detail: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(detail)
      .slice(0, MAX_ENTRIES)
      .map(([key, value]) => [key.slice(0, MAX_TEXT), bounded(value)]),
  )

const bounded = (value: unknown): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' ? value : printable(String(value)).slice(0, MAX_TEXT)

/** Control characters would forge lines in whatever shows the audit, and PostgreSQL's JSON refuses NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, ' ')
