import { readFileSync, writeFileSync } from 'node:fs'
import { type Losses, medians, type Round, verdictOf } from './figures.ts'
import { plot } from './plot.ts'
import { lossTable, parameterTable, stageTable, verdictTable } from './table.ts'

const PAGE = new URL('../../docs/proof/experiment.md', import.meta.url)
const PLOT = new URL('../../docs/proof/experiment.svg', import.meta.url)

/** Puts figures between the marks that the page has for them. @throws where the page has none. */
const filled = (page: string, name: string, figures: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/proof/experiment.md has no place for ${name}.`)
  return `${page.slice(0, from)}${begin}\n\n${figures}\n\n${page.slice(to)}`
}

/** Sums over the rounds: what is rare in one shows in all. */
const added = (rounds: readonly Round[]): Losses[] =>
  medians(rounds.map(({ losses }) => losses)).map((typical, stage) => {
    const all = rounds.map(({ losses }) => losses[stage] as Losses)
    const sum = (of: (one: Losses) => number) => all.reduce((total, one) => total + of(one), 0)
    return {
      ...typical,
      twice: sum(({ twice }) => twice),
      chargedUnsaid: sum(({ chargedUnsaid }) => chargedUnsaid),
      turnedAway: sum(({ turnedAway }) => turnedAway),
      brokenPromises: sum(({ brokenPromises }) => brokenPromises),
      deferred: sum(({ deferred }) => deferred),
      deferredOnce: sum(({ deferredOnce }) => deferredOnce),
      slowestDeferredS: Math.max(...all.map(({ slowestDeferredS }) => slowestDeferredS)),
    }
  })

/** What the rounds came to, for a reader. */
export const summary = (rounds: readonly Round[]): { rows: string; losses: string; verdict: string } => ({
  rows: stageTable(medians(rounds.map((round) => round.rows))),
  losses: lossTable(added(rounds)),
  verdict: verdictTable(verdictOf(rounds)),
})

/** Writes the figures into the page of the docs, and draws them. */
export const writeReport = (rounds: readonly Round[]): void => {
  const { rows, losses, verdict } = summary(rounds)
  let page = readFileSync(PAGE, 'utf8')
  const figures = { rows, losses, verdict, parameters: parameterTable(), rounds: `Medians of ${rounds.length} rounds.` }
  for (const [name, text] of Object.entries(figures)) page = filled(page, name, text)
  writeFileSync(PAGE, page)
  writeFileSync(PLOT, plot(medians(rounds.map((round) => round.rows))))
}

/** The last line of the run: plain numbers. */
export const figuresOf = (rounds: readonly Round[]): Record<string, unknown> => {
  const verdict = verdictOf(rounds)
  const rounded = (value: unknown) => (typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value)
  const plain = (row: object) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]))
  return {
    ...plain({ ...verdict, void: verdict.void ? 1 : 0, rounds: rounds.length }),
    rows: medians(rounds.map((round) => round.rows)).map(plain),
    losses: added(rounds).map(plain),
  }
}
