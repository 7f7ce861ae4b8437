import type { Fate, GatePrediction, ServiceTime } from '@weir/api'
import type { Seen } from './real.ts'

const CELLS = 50

/** Times as a histogram of cells that hold equally many. */
export const histogramOf = (values: readonly number[]): ServiceTime => {
  const sorted = values.toSorted((a, b) => a - b)
  const upToMs: number[] = []
  const counts: number[] = []
  for (let cell = 1; cell <= CELLS; cell++) {
    const from = Math.floor(((cell - 1) * sorted.length) / CELLS)
    const to = Math.floor((cell * sorted.length) / CELLS)
    const bound = sorted[to - 1] ?? 0
    if (to === from || bound <= (upToMs.at(-1) ?? 0)) continue
    upToMs.push(bound)
    counts.push(to - from)
  }
  // Below the fastest there is nothing.
  const least = (sorted[0] ?? 1) * 0.999
  const meanMs = values.reduce((sum, ms) => sum + ms, 0) / values.length
  return { kind: 'histogram', upToMs: [least, ...upToMs], counts: [0, ...counts, 0], meanMs }
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const acceptedShare = (seen: readonly Seen[]): number => seen.filter(({ accepted }) => accepted).length / seen.length
const acceptedOf = (fates: readonly Fate[]): number =>
  fates.reduce((sum, { accepted }) => sum + accepted, 0) / fates.reduce((sum, { offered }) => sum + offered, 0)

export interface Row {
  readonly what: string
  readonly measured: number
  readonly predicted: number
}

/** Of fewer requests a share is off by more than a point and a half by chance alone, on either side. */
const ENOUGH = 1_000

/** Accepted shares of everything, of each class and each larger tenant, 0..1; of the small ones together. */
export const shares = (seen: readonly Seen[], gate: GatePrediction): Row[] => {
  const row = (what: string, of: readonly Seen[], fates: readonly Fate[]): Row => ({
    what,
    measured: acceptedShare(of),
    predicted: acceptedOf(fates),
  })
  const tenants = [...Map.groupBy(seen, (one) => one.tenant)]
  const large = tenants.filter(([, of]) => of.length >= ENOUGH)
  const small = seen.filter(({ tenant }) => !large.some(([name]) => name === tenant))
  const fateOf = (fates: Readonly<Record<string, Fate>>, name: string): Fate[] => {
    const fate = fates[name]
    return fate ? [fate] : []
  }
  const others = Object.entries(gate.tenants).filter(([name]) => !large.some(([known]) => known === name))
  return [
    row('all', seen, [gate]),
    ...[...Map.groupBy(seen, (one) => one.class)].map(([name, of]) => row(name, of, fateOf(gate.classes, name))),
    ...large.map(([name, of]) => row(`tenant ${name}`, of, fateOf(gate.tenants, name))),
    ...(small.length >= ENOUGH
      ? [
          row(
            'small tenants',
            small,
            others.map(([, fate]) => fate),
          ),
        ]
      : []),
  ]
}
