import { parseArgs } from 'node:util'
import { PARAMETERS } from './parameters.ts'

export interface Flags {
  readonly seconds: number
  readonly rounds: number
  readonly quick: boolean
  /** Rounds measured before, to which these are added. */
  readonly add: string | null
  /** Whether this is the run that the report is written from. */
  readonly report: boolean
}

export const USAGE = `npm run experiment -- [--quick] [--rounds N] [--seconds N] [--add FILE]

  --quick      one round of 8 s or a little more, stages side by side, a faster leak: shows that it runs, measures nothing
  --rounds N   1 to 20, default 3; the figures are medians over the rounds
  --seconds N  of each stage, 3 to 600, default ${PARAMETERS.seconds}
  --add FILE   adds these rounds to those in FILE, and reports on all of them

Rounds of ${PARAMETERS.seconds} s are written to docs/proof/experiment.md and .svg.`

const within = (name: string, text: string | undefined, fallback: number, least: number, most: number): number => {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`)
}

/** @throws an error that says which flag is wrong. */
export const readFlags = (args: readonly string[]): Flags => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      add: { type: 'string' },
    },
  })
  const { quick, add = null } = values
  const seconds = within('seconds', values.seconds, quick ? 8 : PARAMETERS.seconds, 3, 600)
  const rounds = within('rounds', values.rounds, quick ? 1 : 3, 1, 20)
  return { seconds, rounds, quick, add, report: !quick && seconds === PARAMETERS.seconds }
}
