import type { Result } from './result.ts'
import type { Side } from './run.ts'

type Take = (result: Result) => number | null | undefined

const figure =
  (side: Side, name: string): Take =>
  ({ sides }) =>
    sides[side].figures[name]
const value =
  (side: Side, check: string, name: string): Take =>
  ({ sides }) =>
    sides[side].checks.find(({ id }) => id === check)?.values[name]

/** Figures of the last line: of which scenario, what, and what is to be reached. */
export const FIGURES: Readonly<Record<string, { readonly of: string; readonly take: Take; readonly reach?: string }>> =
  {
    G1: { of: 'ramp', take: figure('with', 'share'), reach: '>= 0.95' },
    G1_without: { of: 'ramp', take: figure('without', 'share') },
    G1_cpu: { of: 'processor', take: figure('with', 'share'), reach: '>= 0.85' },
    G1_cpu_without: { of: 'processor', take: figure('without', 'share') },
    G1_learned: { of: 'learned', take: figure('with', 'share'), reach: '>= 0.95' },
    G1_grown_back: {
      of: 'learned',
      take: ({ capacity, sides }) => (sides.with.figures.goodput_after ?? Number.NaN) / capacity,
      reach: '>= 0.95',
    },
    G2_s: { of: 'ramp', take: figure('with', 'recovery_s'), reach: '<= 2' },
    G2_s_without: { of: 'ramp', take: figure('without', 'recovery_s') },
    G3: { of: 'retry-storm', take: figure('with', 'attempts'), reach: '<= 1.1' },
    G3_without: { of: 'retry-storm', take: figure('without', 'attempts') },
    G3_recovered: { of: 'retry-storm', take: figure('with', 'recovered'), reach: '>= 0.9' },
    oscillation: { of: 'near-limit', take: value('with', 'steady-limit', 'oscillation'), reach: '<= 0.1' },
  }

export const figuresOf = (results: readonly Result[]): Record<string, number | null> =>
  Object.fromEntries(
    Object.entries(FIGURES).flatMap(([name, { of, take }]) => {
      const result = results.find((one) => one.name === of)
      return result ? [[name, take(result) ?? null]] : []
    }),
  )
