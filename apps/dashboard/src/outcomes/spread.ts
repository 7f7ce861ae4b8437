import type { Agent, Outcomes } from '@weir/api'
import { figure } from '../format/numbers.ts'
import type { Subject } from './subject.ts'

type Series = Outcomes['series'][number]

/** What is known of a process from itself. */
export type Seen = Pick<
  Agent,
  | 'instance'
  | 'presence'
  | 'gates'
  | 'dependencies'
  | 'modeOverride'
  | 'appliedRevision'
  | 'intendedRevision'
  | 'status'
>

/** The last minutes of one process, gate or dependency. Rates are per second, `null`: no figures of it came. */
export interface Spell {
  readonly offered: number | null
  readonly goodput: number | null
  readonly refusedShare: number | null
  /** Of what was not refused. */
  readonly failedShare: number | null
  /** Seconds; the median of the buckets. `null`: nothing ended. */
  readonly p99: number | null
}

export interface Slots {
  readonly inFlight: number
  readonly limit: number
}

export interface InstanceRow extends Spell {
  readonly instance: string
  /** The rest of the processes in sum: no process that could be unlike the others. */
  readonly rest: boolean
  readonly slots: Slots | null
  /** `null`: it is not connected, or not among those that were read. */
  readonly agent: Seen | null
  /** In what it is unlike the others, in words. */
  readonly oddities: readonly string[]
  /** The largest of all rows: what a bar is measured by. */
  readonly of: { readonly offered: number; readonly p99: number }
}

/** Fewer than this are no crowd that one could be unlike. */
export const CROWD = 3
/** So many times the median, or less than that part of it, is unlike. */
const TIMES = 2
/** Shares this near to each other are alike. */
const SHARE_APART = 0.15
const LEAST_P99_SECONDS = 0.005
/** The label under which the store sums the series that it does not tell apart. */
const REST = 'other'

const known = (values: readonly (number | null)[] | undefined): number[] =>
  (values ?? []).filter((value): value is number => value !== null)
const sum = (values: readonly (number | null)[] | undefined): number =>
  known(values).reduce((all, value) => all + value, 0)

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

/** Slots in the newest bucket that says; the last one is not over, and says too little or too much. */
const figureSlots = ({ figures }: Series): Slots | null => {
  const limits = figures.limit ?? figures.ceiling ?? []
  const newest = limits.slice(0, -1).findLastIndex((limit) => limit !== null)
  const limit = limits[newest]
  if (limit == null) return null
  const at = (name: 'active' | 'zombies' | 'inFlight'): number => figures[name]?.[newest] ?? 0
  return { inFlight: at('active') + at('zombies') + at('inFlight'), limit }
}

/** Averages of a series of the last minutes, of work or of calls. */
export const spellOf = ({ figures }: Series, step: number): Spell => {
  const asked = figures.calls ?? figures.offered
  const seconds = Math.max(1, known(asked).length) * step
  const offered = sum(asked)
  const refused = sum(figures.shed) + sum(figures.expired)
  return {
    offered: offered / seconds,
    goodput: (sum(figures.completed) - sum(figures.ignored)) / seconds,
    refusedShare: offered > 0 ? refused / offered : null,
    failedShare: offered > refused ? sum(figures.failed) / (offered - refused) : null,
    p99: median(known(figures.p99)),
  }
}
export const UNHEARD: Spell = { offered: null, goodput: null, refusedShare: null, failedShare: null, p99: null }

/** What an agent reported last: of one gate or dependency, or of all gates. `null`: it has none. */
const reportedSlots = ({ gates, dependencies }: Seen, subject: Subject | null): Slots | null => {
  const parts =
    subject?.kind === 'dependency'
      ? dependencies
          .filter(({ name }) => name === subject.name)
          .map(({ inFlight, ceiling }) => ({ inFlight, limit: ceiling }))
      : gates
          .filter(({ name }) => subject === null || name === subject.name)
          .map(({ active, zombies, limit }) => ({ inFlight: active + zombies, limit }))
  if (parts.length === 0) return null
  return parts.reduce((all, one) => ({ inFlight: all.inFlight + one.inFlight, limit: all.limit + one.limit }))
}

/** Every process with its figures, those that are unlike the others first; also those that only report. `subject` `null`: all gates together. */
export const instanceRows = (outcomes: Outcomes, agents: readonly Seen[], subject: Subject | null): InstanceRow[] => {
  const live = new Map(agents.filter(({ presence }) => presence === 'live').map((agent) => [agent.instance, agent]))
  const heard = new Map(outcomes.series.map((series) => [series.label, series]))
  const reporting = [...live.values()].filter((agent) => reportedSlots(agent, subject) !== null)
  const names = new Set([...heard.keys(), ...reporting.map(({ instance }) => instance)])
  const rows = [...names].map((instance) => {
    const agent = live.get(instance) ?? null
    const rest = instance === REST && agent === null
    const series = heard.get(instance)
    const spell = series === undefined ? UNHEARD : spellOf(series, outcomes.step)
    const slots = (agent && reportedSlots(agent, subject)) ?? (series && figureSlots(series)) ?? null
    return { ...spell, instance, rest, agent, slots }
  })
  const each = rows.filter(({ rest }) => !rest)
  const of = {
    offered: Math.max(0, ...known(each.map((row) => row.offered))),
    p99: Math.max(0, ...known(each.map((row) => row.p99))),
  }
  const middle = middleOf(each)
  const judged = each.length >= CROWD
  /** While none has the new revision yet, those without it are alike. */
  const someHaveIt = each.some(({ agent }) => agent !== null && !runsAnother(agent))
  return rows
    .map((row) => ({ ...row, of, oddities: judged && !row.rest ? odditiesOf(row, middle, someHaveIt) : [] }))
    .sort(
      (a, b) =>
        Number(a.rest) - Number(b.rest) ||
        b.oddities.length - a.oddities.length ||
        (b.offered ?? -1) - (a.offered ?? -1) ||
        (a.instance < b.instance ? -1 : 1),
    )
}

/** It has said which revision it runs, and that is not the intended one. */
export const runsAnother = (agent: Seen | null): boolean =>
  agent !== null && agent.status !== 'none' && agent.appliedRevision !== agent.intendedRevision

type Middle = Readonly<Record<'offered' | 'p99' | 'refusedShare' | 'failedShare', number>>
const MEASURES = ['offered', 'p99', 'refusedShare', 'failedShare'] as const

const middleOf = (rows: readonly Spell[]): Middle =>
  Object.fromEntries(MEASURES.map((name) => [name, median(known(rows.map((row) => row[name]))) ?? 0])) as Middle

const odditiesOf = ({ agent, ...row }: Spell & { agent: Seen | null }, middle: Middle, someHaveIt: boolean) => {
  const oddities: string[] = []
  const times = (value: number, of: number): string => `${figure(value / of)} × the median`
  const apart = (name: 'refusedShare' | 'failedShare'): number => (row[name] ?? middle[name]) - middle[name]
  if (row.p99 !== null && middle.p99 > 0 && row.p99 >= LEAST_P99_SECONDS && row.p99 >= middle.p99 * TIMES)
    oddities.push(`p99 ${times(row.p99, middle.p99)}`)
  if (
    row.offered !== null &&
    middle.offered > 0 &&
    (row.offered >= middle.offered * TIMES || row.offered <= middle.offered / TIMES)
  )
    oddities.push(`offered ${times(row.offered, middle.offered)}`)
  if (Math.abs(apart('refusedShare')) >= SHARE_APART)
    oddities.push(`refuses ${apart('refusedShare') > 0 ? 'more' : 'less'} than the others`)
  if (Math.abs(apart('failedShare')) >= SHARE_APART)
    oddities.push(`fails ${apart('failedShare') > 0 ? 'more' : 'less'} than the others`)
  if (someHaveIt && runsAnother(agent)) oddities.push('runs another revision')
  return oddities
}
