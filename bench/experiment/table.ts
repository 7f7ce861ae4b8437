import { type Losses, PUBLISHED, type Row, TITLES, type Verdict } from './figures.ts'
import { PARAMETERS, REASONS } from './parameters.ts'
import type { StageName } from './run.ts'

const share = (value: number): string => `${(100 * value).toFixed(2)} %`
const ms = (value: number): string => `${value.toFixed(0)}`

/** Rows of cells as a table of Markdown, which reads on a screen as well. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}

const STAGE_HEAD = ['stage', 'req/s', 'errors', 'by fallback', 'p50 ms', 'p90 ms', 'p95 ms', 'paid/s', 'out of reach']

const cells = (title: string, row: Omit<Row, 'name' | 'paid' | 'p95_all' | 'down' | 'deaths'>): string[] => [
  title,
  row.rps.toFixed(2),
  share(row.errors),
  share(row.fallbacks),
  ms(row.p50),
  ms(row.p90),
  ms(row.p95),
]

/** Published and measured, line by line. */
export const stageTable = (rows: readonly Row[]): string =>
  table(
    STAGE_HEAD,
    rows.flatMap((row) => {
      const name = row.name as StageName
      const measured = [...cells(TITLES[name], row), row.paid.toFixed(2), share(row.down)]
      if (name === 'weir') return [measured]
      const published = PUBLISHED[name]
      const paid = (published.rps * (1 - published.errors)).toFixed(2)
      return [[...cells('_published_', published), paid, ''], measured]
    }),
  )

export const lossTable = (losses: readonly Losses[]): string =>
  table(
    [
      'stage',
      'requests an order',
      'orders lost',
      'told "failed", yet charged',
      'charged twice',
      'promised, never done',
      'put off',
      'of them once, within 60 s',
      'slowest',
    ],
    losses.map((one) => [
      TITLES[one.name as StageName],
      one.attemptsPerOrder.toFixed(2),
      `${one.turnedAway}`,
      `${one.chargedUnsaid}`,
      `${one.twice}`,
      `${one.brokenPromises}`,
      `${one.deferred}`,
      `${one.deferredOnce}`,
      one.deferred === 0 ? '' : `${one.slowestDeferredS.toFixed(1)} s`,
    ]),
  )

const REACHES: readonly (readonly [
  figure: Exclude<keyof Verdict, 'void'>,
  what: string,
  reach: string,
  holds: (value: number) => boolean,
])[] = [
  ['E1_p95', 'p95 of payments answered / p95 of the base stage', '<= 1/30', (value) => value <= 1 / 30],
  ['E1_rps', 'payments answered a second / those of the base stage', '>= 1.59', (value) => value >= 1.59],
  ['E1_errors', 'errors / those of the best of the four', '<= 1', (value) => value <= 1],
  ['E1_fallback', 'share of answers by fallback - share of the time out of reach', '<= 0.05', (value) => value <= 0.05],
]

export const verdictTable = (verdict: Verdict): string =>
  table(
    ['figure', 'what', 'reach', 'measured', ''],
    REACHES.map(([figure, what, reach, holds]) => {
      const value = verdict[figure]
      const shown = figure === 'E1_p95' && value > 0 ? `1/${(1 / value).toFixed(1)}` : value.toFixed(3)
      return [`\`${figure}\``, what, reach, shown, verdict.void ? 'void' : holds(value) ? 'reached' : 'not reached']
    }),
  )

export const parameterTable = (): string => table(['parameter', 'value', 'why'], REASONS)

/** Of the plot: its scale begins here. */
export const LEAST_MS = 10
export const MOST_MS = PARAMETERS.patienceMs * 2
