import type { Agent, Alert, LiveMessage, LiveRow } from '@weir/api'

export type PublishedNotice = Omit<Extract<LiveMessage, { type: 'published' }>, 'type'>

/**
 * Write side of the dashboards' live socket. Every call returns at once, never throws and never waits for a slow dashboard:
 * what a dashboard cannot take is left out for it alone.
 *
 * An abstract class, so that it is its own injection token.
 */
export abstract class LiveBroadcast {
  /**
   * One finished second of an environment. Give every row its `by` where it is known: watchers of one service get it,
   * those of the overview do not. A later call for the same `at` replaces the earlier one on the screen.
   */
  abstract tick(environment: string, at: Date, rows: readonly LiveRow[]): void
  /** Raised, changed or resolved. */
  abstract alert(environment: string, alert: Alert): void
  abstract published(environment: string, notice: PublishedNotice): void
  /** Agents of one service whose row changed; at most once a second and service. */
  abstract agents(environment: string, service: string, agents: readonly Agent[]): void
  /** Whether anybody looks: lets a caller skip the work of making rows. Without `service`: anything of the environment. */
  abstract watched(environment: string, service?: string): boolean
}
