import { AsyncResource } from 'node:async_hooks'
import type { Work } from '../admission/gate.ts'
import type { Held } from './hand.ts'
import { ageOf, type Fate, type Message, type MessageContext } from './message.ts'

/** A delivered message: what its work is, and whom to tell what became of it. */
export interface Item extends Held {
  readonly work: Work
  readonly handler: (context: MessageContext) => unknown
  readonly settle: (fate: Fate<unknown>) => void
  /** Runs in the async context of whoever took the message, not of whoever freed a slot. */
  readonly run: (begin: () => void) => void
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const itemOf = (
  { madeAtMs, leaseMs, tenant, criticality, cost }: Message,
  handler: Item['handler'],
  settle: Item['settle'],
  nowMs: number,
  wallMs: number,
): Item => ({
  madeMs: nowMs - (ageOf(madeAtMs, wallMs) || 0),
  leaseUntilMs: nowMs + (typeof leaseMs === 'number' && leaseMs >= 0 ? leaseMs : Number.POSITIVE_INFINITY),
  work: { tenant: text(tenant), criticality: text(criticality) as Work['criticality'], cost },
  handler,
  settle,
  run: AsyncResource.bind((begin: () => void) => begin()),
})

/** The work of whichever message is at the head, as it is when the gate asks. */
export const workOf = (
  head: () => Item | undefined,
  route: string,
  remainingMs: (item: Item) => number | undefined,
): Work => ({
  route,
  get tenant() {
    return head()?.work.tenant
  },
  get criticality() {
    return head()?.work.criticality
  },
  get cost() {
    return head()?.work.cost
  },
  get deadlineMs() {
    const item = head()
    return item && remainingMs(item)
  },
})
