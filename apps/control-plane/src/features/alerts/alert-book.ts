import type { Alert, AlertRule } from '@weir/api'
import type { PageRequest, Rows } from '../paging.ts'

/** A service with its rule. */
export interface WatchedService {
  readonly serviceId: string
  readonly environment: string
  readonly service: string
  readonly rule: AlertRule
}

export interface FiringAlert {
  readonly serviceId: string
  readonly alert: Alert
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

/** Rules and alerts. At most one alert of a service and rule fires at a time, whoever raises it. */
export abstract class AlertBook {
  abstract watched(): Promise<WatchedService[]>
  abstract firing(): Promise<FiringAlert[]>
  /** The alert that fires now: a new one, or the one that was firing already. */
  abstract raise(service: WatchedService, share: number, at: Date): Promise<Alert>
  /** `null` where it fires no longer. */
  abstract peak(alertId: string, peakShare: number): Promise<Alert | null>
  abstract resolve(alertId: string, at: Date): Promise<Alert | null>
  abstract list(filter: AlertFilter, page: PageRequest<AlertPlace>): Promise<Rows<Alert>>
}
