/** What the parent asks of a process of sockets. */
export type Ask =
  | { readonly type: 'open'; readonly url: string; readonly keys: readonly string[]; readonly count: number }
  /** Report once each socket has had the next push. */
  | { readonly type: 'expect' }

/** What it answers. Times are milliseconds since the epoch, of the machine's clock. */
export type Answer =
  | { readonly type: 'opened'; readonly tookMs: number }
  /** `at`: when each socket had it, sorted; `bytes`: how long the pushed text was. */
  | { readonly type: 'arrived'; readonly at: readonly number[]; readonly bytes: number }

/** What the parent asks of a process of agents' streams. */
export type StormAsk =
  | { readonly type: 'start'; readonly url: string; readonly keys: readonly string[]; readonly count: number }
  /** Answer once every agent has a socket again and this revision, or after so long. */
  | { readonly type: 'gather'; readonly revision: number; readonly withinMs: number }

/** What it answers. */
export interface Gathered {
  readonly type: 'gathered'
  /** When each was back with the revision, sorted. */
  readonly at: readonly number[]
  readonly missing: number
  /** Connections that were tried since the last answer, and what those that failed were told. */
  readonly attempts: number
  readonly faults: Readonly<Record<string, number>>
}

/** What the bare server is told and says. */
export type BareAsk = { readonly type: 'send'; readonly bytes: number }
export type BareAnswer =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'sent'; readonly at: number }

/** Milliseconds since the epoch, finer than `Date.now`. */
export const epochMs = (): number => performance.timeOrigin + performance.now()

/** What the parent asks of a process of agents that ask for leases. */
export type LeasesAsk =
  | { readonly type: 'open'; readonly url: string; readonly keys: readonly string[]; readonly count: number }
  /** From now on all ask for the first tenant's rate, a hundredth of them for the second's too; each could use `load` a second. */
  | { readonly type: 'ask'; readonly resource: string; readonly tenants: readonly string[]; readonly load: number }
  | { readonly type: 'see' }

/** What was seen since the last time; sums since the beginning, units. */
export interface LeasesSeen {
  readonly type: 'seen'
  readonly asked: number
  /** From a question to its answer, sorted. */
  readonly roundTripsMs: readonly number[]
  readonly sums: Readonly<Record<string, { readonly usable: number; readonly most: number }>>
}
