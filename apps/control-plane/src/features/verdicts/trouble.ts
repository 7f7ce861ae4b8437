import type { TroubledDependency, Verdict } from '@weir/api'
import type { CutRow, DependencyRow } from './verdict-source.ts'

const HIGH = new Set(['critical-plus', 'critical'])
/** A dependency is slow when it takes twice its time and more than this, ms. */
const SLOW_TIMES = 2
const SLOW_MS = 50
const FAILING = 0.2
/** Fewer calls say nothing of a share. */
const LEAST_CALLS = 10

type Parts = Pick<Verdict, 'reason' | 'tenant' | 'class' | 'revision'>

/** What most of the refused work has in common, by each cut. */
export const partsOf = (rows: readonly CutRow[]): Parts => {
  const of = (cut: CutRow['cut']) => {
    const own = rows.filter((row) => row.cut === cut)
    const total = own.reduce((sum, { refused }) => sum + refused, 0)
    const most = own.reduce<CutRow | null>((best, row) => (row.refused > (best?.refused ?? 0) ? row : best), null)
    return most === null ? null : { label: most.label, share: most.refused / total }
  }
  return { reason: of('reason'), tenant: of('tenant'), class: of('class'), revision: of('revision') }
}

/** Of the two critical classes. */
export const highOf = (rows: readonly CutRow[]): { offered: number; refused: number } => {
  const own = rows.filter(({ cut, label }) => cut === 'class' && HIGH.has(label))
  return {
    offered: own.reduce((sum, { offered }) => sum + offered, 0),
    refused: own.reduce((sum, { refused }) => sum + refused, 0),
  }
}

/** The dependency that is worst off, of those that are slow, fail, or have an open breaker. */
export const worstDependency = (
  now: readonly DependencyRow[],
  before: readonly DependencyRow[],
): TroubledDependency | null => {
  const found = now.flatMap((row) => {
    const earlier = before.find(({ name }) => name === row.name)?.meanMs ?? null
    const told: TroubledDependency = {
      name: row.name,
      meanMs: row.meanMs,
      beforeMs: earlier,
      failedShare: row.calls > 0 ? row.failed / row.calls : 0,
      refusedShare: row.calls > 0 ? row.refused / row.calls : 0,
      breakersOpen: row.breakersOpen,
    }
    const slow = row.meanMs !== null && earlier !== null && row.meanMs >= SLOW_MS && row.meanMs >= earlier * SLOW_TIMES
    const failing = row.calls >= LEAST_CALLS && told.failedShare >= FAILING
    return slow || failing || row.breakersOpen > 0
      ? [{ told, weight: row.failed + row.refused + (slow ? row.calls : 0) }]
      : []
  })
  return found.sort((a, b) => b.weight - a.weight)[0]?.told ?? null
}
