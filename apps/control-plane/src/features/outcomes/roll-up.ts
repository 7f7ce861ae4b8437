import { timeShares } from './book-time.ts'
import type { Kind } from './columns.ts'
import type { Seated, Seats, ServiceSeats } from './seats.ts'
import { addTo, emptyTally, type Tally, weightOf } from './tally.ts'
import { LABEL_CUTS, type LabelCut, type Series, type Window } from './window.ts'

/**
 * Ways in which a figure is told apart. Each is a cut of its own through the same figures (the cross product of all would be unbounded):
 * the rows of one cut are never added to those of another.
 */
export const CUTS = ['total', ...LABEL_CUTS, 'instance'] as const
export type Cut = (typeof CUTS)[number]

/** One bucket of one series. */
export interface Row extends Tally {
  /** Start of the bucket, whole seconds since the epoch. */
  readonly second: number
  readonly environment: string
  readonly service: string
  readonly kind: Kind
  readonly name: string
  readonly cut: Cut
  /** Empty for `total`. */
  readonly label: string
}
export type Rows = Map<string, Row>

type Place = Omit<Row, keyof Tally>

const keyOf = ({ second, environment, service, kind, name, cut, label }: Place): string =>
  `${second}\n${environment}\n${service}\n${kind}\n${name}\n${cut}\n${label}`

const rowIn = (rows: Rows, place: Place): Row => {
  const key = keyOf(place)
  let row = rows.get(key)
  if (row === undefined) {
    row = { ...emptyTally(), ...place }
    rows.set(key, row)
  }
  return row
}

/** The rows of one second of one gate or dependency, found without making their keys anew. */
class Second {
  readonly #rows: Rows
  readonly #place: Omit<Place, 'cut' | 'label'>
  readonly #by = new Map<Cut, Map<string, Row>>()

  constructor(rows: Rows, place: Omit<Place, 'cut' | 'label'>) {
    this.#rows = rows
    this.#place = place
  }

  row(cut: Cut, label: string): Row {
    let labels = this.#by.get(cut)
    if (labels === undefined) {
      labels = new Map()
      this.#by.set(cut, labels)
    }
    let row = labels.get(label)
    if (row === undefined) {
      row = rowIn(this.#rows, { ...this.#place, cut, label })
      labels.set(label, row)
    }
    return row
  }
}

/** Seconds of one service, as they are rolled up. */
class Service {
  readonly seats: Record<Seated, Seats>
  readonly #rows: Rows
  readonly #environment: string
  readonly #service: string
  readonly #seconds = {
    gate: new Map<string, Map<number, Second>>(),
    dependency: new Map<string, Map<number, Second>>(),
  }

  constructor(rows: Rows, environment: string, service: string, seats: Record<Seated, Seats>) {
    this.#rows = rows
    this.#environment = environment
    this.#service = service
    this.seats = seats
  }

  second(kind: Kind, name: string, second: number): Second {
    let seconds = this.#seconds[kind].get(name)
    if (seconds === undefined) {
      seconds = new Map()
      this.#seconds[kind].set(name, seconds)
    }
    let found = seconds.get(second)
    if (found === undefined) {
      found = new Second(this.#rows, { second, environment: this.#environment, service: this.#service, kind, name })
      seconds.set(second, found)
    }
    return found
  }
}

/**
 * Rows of one second from windows. A window that lies in several seconds is split by time, exactly: what is added up over the rows of one cut is
 * what was sent, whatever the order and the grouping.
 */
export const rollUp = (windows: Iterable<Window>, seats: ServiceSeats, nowMs: number): Rows => {
  const rows: Rows = new Map()
  const services = new Map<string, Map<string, Service>>()
  for (const { environment, service, instance, stretches } of windows) {
    const own = serviceIn(services, rows, environment, service, seats)
    for (const { startMs, endMs, pieceSeconds, gates, dependencies } of stretches) {
      const shares = timeShares(startMs, endMs, pieceSeconds)
      for (const series of gates.values()) spread(own, series, instance, shares, nowMs)
      for (const series of dependencies.values()) spread(own, series, instance, shares, nowMs)
    }
  }
  return rows
}

const serviceIn = (
  services: Map<string, Map<string, Service>>,
  rows: Rows,
  environment: string,
  service: string,
  seats: ServiceSeats,
): Service => {
  let inside = services.get(environment)
  if (inside === undefined) {
    inside = new Map()
    services.set(environment, inside)
  }
  let found = inside.get(service)
  if (found === undefined) {
    found = new Service(rows, environment, service, seats.of(environment, service))
    inside.set(service, found)
  }
  return found
}

const spread = (
  own: Service,
  { kind, name, total, by }: Series,
  instance: string,
  shares: ReturnType<typeof timeShares>,
  nowMs: number,
): void => {
  const weight = weightOf(total)
  const seated = own.seats.name.seat(name, weight, nowMs)
  const from = own.seats.instance.seat(instance, weight, nowMs)
  for (const { second, share } of shares) {
    const at = own.second(kind, seated, second)
    addTo(at.row('total', ''), total, share)
    addTo(at.row('instance', from), total, share)
  }
  for (const cut of LABEL_CUTS) spreadCut(own, kind, seated, cut, by[cut], shares, nowMs)
}

const spreadCut = (
  own: Service,
  kind: Kind,
  name: string,
  cut: LabelCut,
  tallies: ReadonlyMap<string, Tally>,
  shares: ReturnType<typeof timeShares>,
  nowMs: number,
): void => {
  for (const [said, tally] of tallies) {
    const label = own.seats[cut].seat(said, weightOf(tally), nowMs)
    for (const { second, share } of shares) addTo(own.second(kind, name, second).row(cut, label), tally, share)
  }
}

/** The same figures in buckets of `step` seconds. */
export const coarsen = (rows: Iterable<Row>, step: number): Rows => {
  const coarse: Rows = new Map()
  for (const row of rows) {
    const { environment, service, kind, name, cut, label } = row
    const second = row.second - (row.second % step)
    addTo(rowIn(coarse, { second, environment, service, kind, name, cut, label }), row, 1)
  }
  return coarse
}
