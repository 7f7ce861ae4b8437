import type { Alert, AlertRuleName, AlertRules, Severity } from '@weir/api'
import type { PageRequest, Rows } from '../paging.ts'
import type { AgentCounts } from './other-rules.ts'

/** A service with its rules. */
export interface WatchedService {
  readonly serviceId: string
  readonly environment: string
  readonly service: string
  /** Of its effective policy; `null`: nothing was published. */
  readonly hash: string | null
  readonly rules: AlertRules
}

/** What one alert is about. At most one of a key fires at a time, whoever raises it. */
export interface AlertKey {
  readonly serviceId: string
  readonly rule: AlertRuleName
  readonly subject: string
}

export interface FiringAlert {
  readonly key: AlertKey
  readonly alert: Alert
}

export type AlertChange =
  | {
      readonly kind: 'raise'
      readonly key: AlertKey
      readonly severity: Severity
      readonly value: number
      readonly threshold: number
      readonly forSeconds: number
      readonly summary: string
      readonly figures: Readonly<Record<string, number>>
      readonly at: Date
    }
  | { readonly kind: 'worse'; readonly key: AlertKey; readonly value: number }
  | { readonly kind: 'resolve'; readonly key: AlertKey; readonly at: Date }

/** How long agents must have been silent, without or with a bad answer, or with books that do not add up, to count. */
export interface AgentPatience {
  readonly serviceId: string
  readonly staleSeconds: number
  readonly refusedSeconds: number
  readonly offSeconds: number
}

/** Place in the list of alerts, which has the newest first. */
export interface AlertPlace {
  readonly raisedAt: string
  readonly id: string
}

export interface AlertFilter {
  readonly environment: string
  readonly service?: string | undefined
  readonly state?: Alert['state'] | undefined
}

/** Alerts and silences that are over are kept so long. */
export const KEPT_DAYS = 92

/** Another replica judges now: nothing was written. */
export class Deposed extends Error {}

/** Alerts and what is watched. */
export abstract class AlertBook {
  abstract watched(): Promise<readonly WatchedService[]>
  abstract firing(): Promise<readonly FiringAlert[]>
  abstract agents(patience: readonly AgentPatience[]): Promise<ReadonlyMap<string, AgentCounts>>
  /**
   * Writes all changes, and what receivers are to be told of them, in one transaction. Returns the alerts that did change: what fires is not raised
   * again, what does not fire is not resolved. Rejects with `Deposed` where the term is over.
   */
  abstract record(
    token: bigint,
    changes: readonly AlertChange[],
  ): Promise<readonly { readonly environment: string; readonly alert: Alert }[]>
  /** Forgets what has been over for `KEPT_DAYS`. */
  abstract prune(): Promise<void>
  abstract list(filter: AlertFilter, page: PageRequest<AlertPlace>): Promise<Rows<Alert>>
}
