import type { Outcomes } from '@weir/api'

/** With which earlier time the present is compared, and how long ago that is, seconds. */
export const AGO = { '1h': 3_600, '1d': 86_400 } as const
export type Compared = keyof typeof AGO
export const COMPARED = Object.keys(AGO) as readonly Compared[]

/** The figures that are compared; all are counts. */
const FIGURES = ['offered', 'calls', 'completed'] as const

/**
 * History of `ago` seconds earlier, moved to the present and cut into buckets of `step` seconds: what is kept of an earlier time may be
 * coarser, then each bucket's count is spread evenly.
 */
export const movedToNow = (outcomes: Outcomes, ago: number, step: number): Outcomes => {
  const parts = Math.max(1, Math.round(outcomes.step / step))
  const spread = (values: readonly (number | null)[]): (number | null)[] =>
    values.flatMap((value) => new Array<number | null>(parts).fill(value === null ? null : value / parts))
  return {
    ...outcomes,
    from: new Date(Date.parse(outcomes.from) + ago * 1_000).toISOString(),
    to: new Date(Date.parse(outcomes.to) + ago * 1_000).toISOString(),
    step: outcomes.step / parts,
    series: outcomes.series.map(({ label, figures }) => ({
      label,
      figures: Object.fromEntries(FIGURES.map((name) => [name, spread(figures[name] ?? [])])),
    })),
  }
}
