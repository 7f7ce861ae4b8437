import { OUTCOMES, type Progress } from './load/plan.ts'
import type { Result } from './result.ts'
import type { Side } from './run.ts'

const PLAIN_EVERY_S = 5

/** What is shown while it runs: on a terminal one line that changes, else a line every five seconds. */
export class Screen {
  readonly #terminal = process.stdout.isTTY
  #what = ''
  #shownAt = 0

  run(what: string): void {
    this.#what = what
    this.#shownAt = 0
  }

  readonly say = (line: string): void => console.log(`${this.#terminal ? '\r\x1b[K' : ''}  ${line}`)

  readonly progress = (seconds: number, of: number, { sent, counts }: Progress): void => {
    const ends = OUTCOMES.map((name, i) => `${counts[i]} ${name}`).join(', ')
    const line = `${this.#what}  ${seconds.toFixed(0)} of ${of.toFixed(0)} s: ${sent} sent, ${ends}`
    if (this.#terminal) process.stdout.write(`\r\x1b[K  ${line}`)
    else if (seconds - this.#shownAt >= PLAIN_EVERY_S) {
      this.#shownAt = seconds
      this.say(line)
    }
  }
}

const SIDES: readonly Side[] = ['without', 'with']
const COLUMNS: readonly (readonly [title: string, figure: string, digits: number])[] = [
  ['offered/s', 'offered', 0],
  ['good/s', 'goodput', 0],
  ['of capacity', 'share', 2],
  ['p99 ms', 'p99_ms', 0],
  ['refused/s', 'refused', 0],
  ['lost/s', 'lost', 0],
  ['for nobody', 'stale', 0],
  ['normal after s', 'recovery_s', 2],
  ['memory MB', 'memory_mb', 0],
]

/** One row per scenario and side. */
export const table = (results: readonly Result[]): string => {
  const head = ['', ...COLUMNS.map(([title]) => title), 'checks']
  const rows = results.flatMap(({ name, sides }) =>
    SIDES.map((side) => {
      const { figures, checks, void: voided } = sides[side]
      const held = checks.filter(({ holds }) => holds === true).length
      const broken = checks.filter(({ holds }) => holds === false).length
      const cells = COLUMNS.map(([, figure, digits]) => figures[figure]?.toFixed(digits) ?? '-')
      return [`${name}, ${side}`, ...cells, voided ? 'void' : `${held} hold, ${broken} not`]
    }),
  )
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)))
  return [head, ...rows]
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n')
}

/** What did not hold with Weir, by invariant and seed. */
export const broken = (results: readonly Result[], quick: boolean): string[] =>
  results.flatMap(({ name, seed, sides }) =>
    sides.with.checks
      .filter(({ holds }) => holds === false)
      .map(
        ({ invariant, figure }) =>
          `${name}: "${invariant}" does not hold: ${figure}. Again: npm run overload -- --scenario ${name} --seed ${seed}${quick ? ' --quick' : ''}`,
      ),
  )
