import { hash } from 'node:crypto'
import { type HistogramColumn, type Kind, PEAK_INDEX, type PeakColumn, SUM_INDEX, type SumColumn } from './columns.ts'
import { OTHER } from './seats.ts'
import { addCounts, emptyTally, peakOf, type Tally } from './tally.ts'

export const LABEL_CUTS = ['class', 'tenant', 'reason', 'revision'] as const
export type LabelCut = (typeof LABEL_CUTS)[number]

/** Labels of a figure; `null`: the figure is not told by that. */
export type Labels = Readonly<Record<LabelCut, string | null>>

/** What a window says of one gate or dependency: in all, and by every label. The same figures through each cut, never to be added together. */
export interface Series {
  readonly kind: Kind
  readonly name: string
  readonly total: Tally
  readonly by: Readonly<Record<LabelCut, Map<string, Tally>>>
}

/** Milliseconds since the epoch. */
export interface Stretch {
  readonly startMs: number
  readonly endMs: number
  /** Seconds of the pieces that it is split into; 1 but for requests that would make too many rows. */
  pieceSeconds: number
  readonly gates: Map<string, Series>
  readonly dependencies: Map<string, Series>
}

/** What is taken or dropped as a whole: an agent's numbered window, or one point or span of a sender that numbers nothing. */
export interface Window {
  /** 128 bits, hex. Equal for a repeat, and for nothing else. */
  readonly id: string
  readonly environment: string
  readonly service: string
  readonly instance: string
  /** Of an agent that numbers its windows; `null`: it may not be whole, or nobody knows what came before. */
  readonly numbered: { readonly boot: string; readonly sequence: number } | null
  readonly stretches: Stretch[]
}

/** Where a figure is booked: in the total of its gate or dependency, and by each of its labels. */
export class Cell {
  readonly #tallies: readonly Tally[]

  constructor(tallies: readonly Tally[]) {
    this.#tallies = tallies
  }

  /** Of a gate where work enters the fleet. */
  markEdge(): void {
    for (const tally of this.#tallies) tally.edge = true
  }

  add(column: SumColumn, value: number): void {
    const index = SUM_INDEX[column]
    for (const { sums } of this.#tallies) sums[index] = (sums[index] as number) + value
  }

  peak(column: PeakColumn, value: number): void {
    for (const { peaks } of this.#tallies) peakOf(peaks, PEAK_INDEX[column], value)
  }

  count(column: HistogramColumn, counts: readonly number[]): void {
    for (const tally of this.#tallies) addCounts(tally, column, counts, 1)
  }
}

const ID_DIGITS = 32

/** Identity by content of the parts; the parts cannot run into each other. */
export const windowId = (parts: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(parts), 'hex').slice(0, ID_DIGITS)

/** The cell of these labels in that stretch of time, made where it is not there. */
export const cellOf = (
  window: Window,
  time: { readonly startMs: number; readonly endMs: number },
  kind: Kind,
  name: string,
  labels: Labels,
): Cell => {
  const { total, by } = seriesIn(stretchIn(window, time), kind, name)
  const tallies = [total]
  for (const cut of LABEL_CUTS) {
    const label = labels[cut]
    if (label !== null) tallies.push(tallyIn(by[cut], label))
  }
  return new Cell(tallies)
}

const stretchIn = ({ stretches }: Window, { startMs, endMs }: { startMs: number; endMs: number }): Stretch => {
  for (const stretch of stretches) if (stretch.startMs === startMs && stretch.endMs === endMs) return stretch
  const stretch = { startMs, endMs, pieceSeconds: 1, gates: new Map(), dependencies: new Map() }
  stretches.push(stretch)
  return stretch
}

/** Gates, or dependencies, that one stretch tells apart: far more than a service has seats for. */
export const MAX_NAMES = 500

const seriesIn = (stretch: Stretch, kind: Kind, said: string): Series => {
  const known = kind === 'gate' ? stretch.gates : stretch.dependencies
  const name = known.size < MAX_NAMES || known.has(said) ? said : OTHER
  let series = known.get(name)
  if (series === undefined) {
    const by = { class: new Map(), tenant: new Map(), reason: new Map(), revision: new Map() }
    series = { kind, name, total: emptyTally(), by }
    known.set(name, series)
  }
  return series
}

const tallyIn = (tallies: Map<string, Tally>, label: string): Tally => {
  let tally = tallies.get(label)
  if (tally === undefined) {
    tally = emptyTally()
    tallies.set(label, tally)
  }
  return tally
}
