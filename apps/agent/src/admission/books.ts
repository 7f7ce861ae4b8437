import { CRITICALITIES } from '@weir/policy/model'
import { GATE_REASONS, type MetricName } from '@weir/wire/model'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'
import { REASONS } from './reasons.ts'

/** Exact counts of one (account, class) since the last collection, by cell. */
export type Cells = number[]

/** Whose work is counted. Cells exist only while there is something to count. */
export interface Account {
  readonly name: string
  cells: (Cells | null)[] | null
  /** The class counted last, and its cells: work of a tenant is mostly of one class. -1 while nothing was counted since the last collection. */
  klass: number
  open: Cells | null
  /** Of that class, what nearly all work is, until it is added to the cells: offered and accepted, and completed. Counted here, where no other memory need be touched. */
  accepted: number
  completed: number
  /** Offered work, decayed per collection: who gets a series of its own. */
  volume: number
}

/** Accounts that are there whoever comes: of work that names no tenant, which has its own label, and of those without one. */
export interface StandingAccounts {
  readonly none: Account
  readonly other: Account
}

const PLAIN = [
  'weir.gate.offered',
  'weir.gate.accepted',
  'weir.gate.cancelled_waiting',
  'weir.gate.completed',
  'weir.gate.late',
  'weir.gate.failed',
  'weir.gate.cancelled',
  'weir.gate.abandoned',
  'weir.gate.ignored',
  'weir.gate.degraded',
  'weir.gate.deferred',
] as const satisfies MetricName[]

export const OFFERED = 0
export const ACCEPTED = 1
export const CANCELLED_WAITING = 2
export const COMPLETED = 3
export const LATE = 4
export const FAILED = 5
export const CANCELLED = 6
export const ABANDONED = 7
export const IGNORED = 8
/** Accepted, and told to do the cheaper variant. */
export const DEGRADED = 9
/** Made durable elsewhere, to be done later. */
export const DEFERRED = 10
const REFUSED = PLAIN.length
const WOULD = REFUSED + REASONS.length
const CELLS = WOULD + REASONS.length

/** Cell of work refused for a reason, by the reason's number: booked as shed or expired as the reason says. */
export const refusedCell = (reason: number): number => REFUSED + reason
/** Cell of work accepted in observe mode that enforcing would have refused. */
export const wouldCell = (reason: number): number => WOULD + reason

/** Revisions between two collections that keep figures of their own; the refusals of more are booked under the one that follows. */
const KEPT_REVISIONS = 8
/** What stays of a tenant's volume from one collection to the next. */
const VOLUME_KEPT = 0.8

interface Row {
  readonly name: MetricName
  readonly delta: number
  readonly attributes: FigureAttributes
}

/** The books of one gate: every count is exact, whatever is folded together; folded are tenants beyond the largest `labels`, into `other`. */
export class Books {
  readonly #gate: string
  readonly #labels: number
  readonly #standing: StandingAccounts
  #revision: number
  #touched: Account[] = []
  #before: Account[] = []
  #archive: Row[] = []
  #archived = 0

  constructor(gate: string, labels: number, standing: StandingAccounts, revision: number) {
    this.#gate = gate
    this.#labels = labels
    this.#standing = standing
    this.#revision = revision
  }

  count(account: Account, klass: number, cell: number): void {
    const open = (account.klass === klass ? account.open : this.#open(account, klass)) as Cells
    open[cell] = (open[cell] as number) + 1
  }

  /** Work that is accepted as it is offered. */
  countAccepted(account: Account, klass: number): void {
    if (account.klass !== klass) this.#open(account, klass)
    account.accepted++
  }

  countCompleted(account: Account, klass: number): void {
    if (account.klass !== klass) this.#open(account, klass)
    account.completed++
  }

  /** Two cells of one piece of work. */
  countBoth(account: Account, klass: number, first: number, second: number): void {
    const open = (account.klass === klass ? account.open : this.#open(account, klass)) as Cells
    open[first] = (open[first] as number) + 1
    open[second] = (open[second] as number) + 1
  }

  /** Refusals are counted by the revision that they were decided under. */
  setRevision(revision: number): void {
    if (revision !== this.#revision && this.#archived < KEPT_REVISIONS) {
      const kept = this.#archive.length
      this.#emit(
        (name, delta, attributes) => this.#archive.push({ name, delta, attributes: { ...attributes } }),
        isShed,
      )
      if (this.#archive.length > kept) this.#archived++
    }
    this.#revision = revision
  }

  collect(sink: FigureSink): void {
    const archive = this.#archive
    this.#archive = []
    this.#archived = 0
    for (const row of archive) sink.counter(row.name, row.delta, row.attributes)
    this.#emit(
      (name, delta, attributes) => sink.counter(name, delta, attributes),
      () => true,
    )
    for (const account of this.#before)
      if (account.klass < 0) {
        account.cells = null
        account.open = null
      }
    for (const account of this.#touched) {
      account.klass = -1
      account.volume *= VOLUME_KEPT
    }
    this.#before = this.#touched
    this.#touched = []
  }

  #open(account: Account, klass: number): Cells {
    if (account.klass < 0) this.#touched.push(account)
    settle(account)
    account.cells ??= CRITICALITIES.map(() => null)
    const cells = account.cells[klass] ?? new Array<number>(CELLS).fill(0)
    account.cells[klass] = cells
    account.klass = klass
    account.open = cells
    return cells
  }

  /** Hands over the chosen cells and sets them to 0. */
  #emit(
    take: (name: MetricName, delta: number, attributes: FigureAttributes) => void,
    chosen: (cell: number) => boolean,
  ) {
    const folded = CRITICALITIES.map(() => new Array<number>(CELLS).fill(0))
    for (const account of this.#touched) settle(account)
    const own = this.#ownLabels()
    for (const account of this.#touched) {
      CRITICALITIES.forEach((klass, index) => {
        const cells = account.cells?.[index]
        if (!cells) return
        for (let cell = 0; cell < CELLS; cell++) {
          const delta = cells[cell] ?? 0
          if (delta === 0 || !chosen(cell)) continue
          cells[cell] = 0
          if (cell === OFFERED) account.volume += delta
          const sums = own.has(account) ? null : folded[index]
          if (sums) sums[cell] = (sums[cell] ?? 0) + delta
          else take(metricOf(cell), delta, this.#attributes(klass, account.name, cell))
        }
      })
    }
    CRITICALITIES.forEach((klass, index) => {
      folded[index]?.forEach((delta, cell) => {
        if (delta > 0) take(metricOf(cell), delta, this.#attributes(klass, this.#standing.other.name, cell))
      })
    })
  }

  /** `other` itself is folded with what is folded into it. */
  #ownLabels(): ReadonlySet<Account> {
    const { none, other } = this.#standing
    const candidates = this.#touched.filter((account) => account !== none && account !== other)
    const kept = candidates.length <= this.#labels ? candidates : largest(candidates, this.#labels)
    return new Set([none, ...kept])
  }

  #attributes(klass: string, tenant: string, cell: number): FigureAttributes {
    const base = { gate: this.#gate, class: klass, tenant }
    if (cell < REFUSED) return base
    const reason = REASONS[(cell - REFUSED) % REASONS.length] ?? ''
    return isShed(cell) ? { ...base, reason, revision: this.#revision } : { ...base, reason }
  }
}

/** Adds to the cells what was counted beside them. */
const settle = (account: Account): void => {
  const { accepted, completed, open } = account
  if (open === null || accepted + completed === 0) return
  open[OFFERED] = (open[OFFERED] ?? 0) + accepted
  open[ACCEPTED] = (open[ACCEPTED] ?? 0) + accepted
  open[COMPLETED] = (open[COMPLETED] ?? 0) + completed
  account.accepted = 0
  account.completed = 0
}

const isShed = (cell: number): boolean => metricOf(cell) === 'weir.gate.shed'

const metricOf = (cell: number): MetricName => METRIC_OF[cell] ?? 'weir.gate.offered'

const METRIC_OF: readonly MetricName[] = [
  ...PLAIN,
  ...REASONS.map((reason) => (GATE_REASONS[reason].expired ? 'weir.gate.expired' : 'weir.gate.shed')),
  ...REASONS.map(() => 'weir.gate.would_shed' as const),
]

/** The accounts with the largest volume, this window's offered work included: the threshold from one sort of numbers, ties as they come. */
const largest = (accounts: readonly Account[], count: number): Account[] => {
  const volume = (account: Account): number =>
    account.volume + (account.cells ?? []).reduce((sum, cells) => sum + (cells?.[OFFERED] ?? 0), 0)
  const volumes = Float64Array.from(accounts, volume).sort()
  const least = volumes[accounts.length - count] ?? Number.POSITIVE_INFINITY
  const above = accounts.filter((account) => volume(account) > least)
  const ties = accounts.filter((account) => volume(account) === least)
  return [...above, ...ties.slice(0, count - above.length)]
}
