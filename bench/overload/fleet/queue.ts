import type { ServiceSettings } from './messages.ts'

export interface BrokerSettings extends ServiceSettings {
  /** Redis's. */
  readonly socket: string
}
export const QUEUE = 'mails'
