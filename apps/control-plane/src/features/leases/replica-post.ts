import type { LeaseAsked, LeaseGranted, LeaseName, LeaseObeyed } from '@weir/policy/model'
import type { LeaseShare } from './figures.ts'
import type { LeaseFigures, SharesPage } from './leases-port.ts'

/** An agent, and which of its connections to the sender a letter comes from. */
export interface PostedSeat {
  readonly serviceId: string
  readonly environment: string
  readonly service: string
  readonly instance: string
  readonly connection: number
}

/** What one replica writes to another. `n` is the sender's, and comes back with the answer. */
export type Letter =
  | {
      readonly kind: 'ask'
      readonly n: number
      readonly seat: PostedSeat
      readonly asked: readonly LeaseAsked[]
      readonly whole: boolean
    }
  | { readonly kind: 'granted'; readonly n: number; readonly granted: readonly LeaseGranted[] }
  | { readonly kind: 'obeyed'; readonly seat: PostedSeat; readonly obeyed: readonly LeaseObeyed[] }
  | { readonly kind: 'release'; readonly seat: PostedSeat }
  | { readonly kind: 'ask-figures'; readonly n: number; readonly serviceId: string }
  | { readonly kind: 'figures'; readonly n: number; readonly figures: LeaseFigures | null }
  | {
      readonly kind: 'ask-shares'
      readonly n: number
      readonly serviceId: string
      readonly name: LeaseName
      readonly page: SharesPage
    }
  | { readonly kind: 'shares'; readonly n: number; readonly shares: LeaseShare[] | null }

/** Letters between replicas: each comes once or never, perhaps late, those of one sender mostly in order. Sending never waits and never throws. */
export abstract class ReplicaPost {
  abstract send(to: string, letter: Letter): void
  /** Everything that is for this replica. Returns the function that ends it. */
  abstract receive(handler: (from: string, letter: Letter) => void): () => void
}
