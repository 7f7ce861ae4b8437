import type { ReceiverKind } from '@weir/api'

/** Where a message goes, with what is never shown. */
export interface Target {
  readonly id: string
  readonly kind: ReceiverKind
  /** `null`: by e-mail. */
  readonly url: string | null
  readonly to: readonly string[]
  readonly secret: string | null
}

/** A message as its receiver wants it. */
export type Parcel =
  | {
      readonly kind: 'http'
      readonly path: string
      readonly body: string
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly kind: 'email'; readonly subject: string; readonly text: string; readonly messageId: string }

/** What was not delivered, in a sentence for people. `retryAfterMs`: the receiver said so. */
export class Undelivered extends Error {
  readonly retryAfterMs: number | null

  constructor(detail: string, retryAfterMs: number | null = null) {
    super(detail)
    this.retryAfterMs = retryAfterMs
  }
}

/** Sends. Rejects with `Undelivered`, in bounded time. */
export abstract class Courier {
  abstract send(target: Target, parcel: Parcel): Promise<void>
}
