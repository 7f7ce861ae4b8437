import type { LeaseTerms } from '@weir/policy/model'

/** A grant as the control plane must count it: on its own clock, from when it answered. */
export interface Sent extends LeaseTerms {
  readonly id: number
}

/** Grants that may be on their way to one agent; more are counted as one that is as large as any of them. */
const MOST_SENT = 8

/**
 * What one agent may hold of a quota: the last grant that it said it has, and each one sent since, any of which may have come or not. A shrink counts
 * once the agent has said that it obeys it; until then what it had before does.
 */
export class Account {
  readonly agent: string
  /** Whole units, the quota at most. */
  want = 0
  spare = 0
  weight = 1
  /** Its odd unit of the last division, 0 or 1. */
  odd = 0
  safeShare = 0
  /** Of late, as last said. */
  used = 0
  /** Slots taken as last said: work outlives the lease that it began under. */
  inUse = 0
  #sent: Sent[] = []
  /** As it said, also what is more than the quota: that may be raised. */
  #told = { want: 0, spare: 0 }

  constructor(agent: string) {
    this.agent = agent
  }

  /** It says what it could use. */
  wants({ want, spare }: { readonly want: number; readonly spare: number }, capacity: number): void {
    this.#told = { want, spare }
    this.clip(capacity)
  }

  /** The quota is another one. */
  clip(capacity: number): void {
    this.want = wholeOf(this.#told.want, capacity)
    this.spare = wholeOf(this.#told.spare, capacity)
  }

  /** Most that it may use at any moment from `fromMs` to `toMs`. */
  usable(fromMs: number, toMs: number): number {
    let most = 0
    for (const { units, safe, expiresMs, stepMs, deadMs } of this.#sent) {
      if (expiresMs > fromMs && units > most) most = units
      if (deadMs <= fromMs) continue
      const then = stepMs < toMs ? safe : Math.min(units, safe)
      if (then > most) most = then
      if (this.inUse > most) most = this.inUse
    }
    return most
  }

  /** Most safe capacity that it may hold. */
  get safe(): number {
    let most = 0
    for (const { safe } of this.#sent) if (safe > most) most = safe
    return most
  }

  /** From when on it may be using its safe capacity in full; `Infinity`: it holds nothing. */
  get stepMs(): number {
    return this.#sent[0]?.stepMs ?? Number.POSITIVE_INFINITY
  }

  /** What it was sent last, or said that it has; `null`: it holds nothing. */
  get last(): LeaseTerms | null {
    return this.#sent.at(-1) ?? null
  }

  get isEmpty(): boolean {
    return this.#sent.length === 0
  }

  isDead(nowMs: number): boolean {
    return this.#sent.every(({ deadMs }) => deadMs <= nowMs)
  }

  send(grant: Sent): void {
    this.#sent.push(grant)
    if (this.#sent.length > MOST_SENT) this.#sent.splice(1, 2, merged(this.#sent[1] as Sent, this.#sent[2] as Sent))
  }

  /** It holds the grant of this number: those before it are over. */
  holds(id: number): void {
    const place = this.#sent.findIndex((sent) => sent.id === id)
    if (place > 0) this.#sent.splice(0, place)
  }

  clear(): void {
    this.#sent = []
  }

  /** What it says that it holds, of another ledger. */
  declare(terms: LeaseTerms): void {
    this.#sent = [{ id: 0, ...terms }]
  }
}

const wholeOf = (units: number, most: number): number => Math.min(Math.max(0, Math.ceil(units)), most)

const merged = (a: Sent, b: Sent): Sent => ({
  id: b.id,
  units: Math.max(a.units, b.units),
  safe: Math.max(a.safe, b.safe),
  expiresMs: Math.max(a.expiresMs, b.expiresMs),
  stepMs: Math.min(a.stepMs, b.stepMs),
  deadMs: Math.max(a.deadMs, b.deadMs),
})
