import type { Alert } from '@weir/api'
import type { Target } from './courier.ts'

/** What one receiver is to be told now. */
export interface Due {
  readonly target: Target
  readonly environment: string
  readonly watchdog: boolean
  /** Failures in a row. */
  readonly attempts: number
  /** Oldest first, at most `MOST_AT_ONCE`: not silenced, not told. */
  readonly alerts: readonly { readonly alert: Alert; readonly runbook: string | null }[]
  /** For Alertmanager, which forgets: what was told before and fires still. */
  readonly standing: readonly { readonly alert: Alert; readonly runbook: string | null }[]
}

/** Alerts of one message. */
export const MOST_AT_ONCE = 100
/** Waiting for one receiver; what is older is dropped and counted. */
export const MOST_WAITING = 1_000
/** What was not told within a day is dropped. */
export const DROPPED_AFTER_HOURS = 24

/** What is still to be told. Written in the transaction of the alert, so it is told at least once, in its last state. */
export abstract class AlertOutbox {
  /** Receivers that may be tried now: with something to tell, and those that are to be told again. Holds back what is silenced. */
  abstract due(again: (receiverId: string) => boolean): Promise<readonly Due[]>
  abstract told(receiverId: string, alerts: readonly Pick<Alert, 'id' | 'state'>[]): Promise<void>
  /** Tries again after so long, and says why. */
  abstract failed(receiverId: string, detail: string, againAfterMs: number): Promise<void>
}
