import type { LiveRow, Outcomes } from '@weir/api'
import type { Subject } from './subject.ts'
import { type Figures, RecentRows, sumFigures } from './sums.ts'
import { Timeline } from './timeline.ts'

export interface Tick {
  readonly second: number
  readonly rows: readonly LiveRow[]
}

/** Reads a tick into named figures: `fleet`, `gate:checkout`, `class:critical`, … */
export type Splitter = (rows: readonly LiveRow[]) => Iterable<readonly [name: string, figures: Figures]>

/** A part of the work: where the work was heard and the part was not, that is a zero, not a gap. */
const isPart = (name: string): boolean => /^(reason|class|tenant):/.test(name)
const NONE: Figures = { offered: 0, accepted: 0, shed: 0, expired: 0, completed: 0 }

/** Names are made of labels from outside: bounded like every collection. */
const MOST_LINES = 600

/**
 * The figures of one page over its time range, outside React. Live ticks and history are written into timelines,
 * and whoever draws is told that something changed, at most once a tick.
 */
export class Board {
  readonly #lines = new Map<string, Timeline>()
  readonly #listeners = new Set<() => void>()
  readonly #recent = new RecentRows()
  #heard = 0
  #read = false

  constructor(
    /** Seconds of a bucket. */
    readonly step: number,
    /** Buckets kept. */
    readonly capacity: number,
    readonly split: Splitter,
  ) {}

  /** Newest second heard live, 0 = none yet. */
  get heard(): number {
    return this.#heard
  }

  /** Whether history or the live socket has answered yet: before that, silence means nothing. */
  get read(): boolean {
    return this.#read
  }

  line(name: string): Timeline | undefined {
    return this.#lines.get(name)
  }

  names(prefix: string): string[] {
    return [...this.#lines.keys()].filter((name) => name.startsWith(prefix))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tick({ second, rows }: Tick): void {
    const told = new Set<string>()
    for (const [name, figures] of this.split(this.#recent.accept(second, rows))) {
      told.add(name)
      this.#open(name)?.put(second, isPart(name) ? { ...NONE, ...figures } : figures)
    }
    if (told.size > 0)
      for (const [name, line] of this.#lines) if (isPart(name) && !told.has(name)) line.put(second, NONE)
    this.#heard = Math.max(this.#heard, second)
    this.#read ||= told.size > 0
    this.#tell()
  }

  /** `nameOf` gives the timeline of a series' label. `over`: history wins, for the time that the socket is down. */
  history(outcomes: Outcomes, nameOf: (label: string) => string, over = false): void {
    const from = Math.floor(Date.parse(outcomes.from) / 1000)
    for (const { label, figures } of outcomes.series) this.#open(nameOf(label))?.fill(from, figures, over)
    this.#read = true
    this.#tell()
  }

  /** Time went by without a word: what is drawn moves on, and grows old. */
  touch(): void {
    this.#tell()
  }

  #open(name: string): Timeline | undefined {
    const known = this.#lines.get(name)
    if (known !== undefined || this.#lines.size >= MOST_LINES) return known
    const line = new Timeline(this.capacity, this.step)
    this.#lines.set(name, line)
    return line
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The fleet and each of its services. Fleet totals sum the gates marked edge; where no gate is, all of them. */
export const overviewSplitter = (edgeOnly: () => boolean): Splitter =>
  function* (rows) {
    const gates = rows.filter((row) => row.kind === 'gate')
    const counted = edgeOnly() ? gates.filter((row) => row.edge) : gates
    if (counted.length > 0) yield ['fleet', sumFigures(counted.map((row) => row.figures))]
    for (const [service, members] of grouped(gates, (row) => row.service))
      yield [`service:${service}`, sumFigures(members.map((row) => row.figures))]
  }

/** One service, or one of its gates or dependencies: the work of it, and that by reason, class and tenant; of the service also each dependency. */
export const serviceSplitter = (subject: Subject | null): Splitter =>
  function* (rows) {
    const { kind, name } = subject ?? { kind: 'gate', name: null }
    const chosen = rows.filter((row) => row.kind === kind && (name === null || row.name === name))
    if (chosen.length > 0) yield ['work', sumFigures(chosen.map((row) => row.figures))]
    if (subject === null)
      for (const row of rows) if (row.kind === 'dependency') yield [`dependency:${row.name}`, row.figures]
    for (const grouping of ['reason', 'class', 'tenant'] as const) {
      const labels = new Map<string, Figures[]>()
      for (const row of chosen)
        for (const [label, figures] of Object.entries(row.by?.[grouping] ?? {}))
          labels.set(label, [...(labels.get(label) ?? []), figures])
      for (const [label, parts] of labels) yield [`${grouping}:${label}`, sumFigures(parts)]
    }
  }

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
