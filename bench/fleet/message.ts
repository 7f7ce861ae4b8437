/** How an agents' process is told what to do, as its one argument. */
export interface AgentsOrder {
  readonly controlPlane: string
  readonly key: string
  readonly snapshots: string
  /** Each agent's name, and how much of the tenant's work comes to it, units per second. */
  readonly agents: readonly { readonly instance: string; readonly perSecond: number }[]
}

export const SERVICE = 'orders'
export const GATE = 'checkout'
export const TENANT = 'acme'

/** Grain in which admitted work is counted, milliseconds. */
export const GRAIN_MS = 10

/** What an agents' process says a few times a second: for each agent, in which grains since the epoch it admitted how many; and whether it has a socket. */
export interface AgentsReport {
  readonly type: 'report'
  readonly agents: readonly {
    readonly instance: string
    readonly connected: boolean
    readonly offered: number
    readonly admitted: readonly (readonly [grain: number, count: number])[]
  }[]
}
