import type { Verdict, Verdicts } from '@weir/api'

interface Menu {
  /** What needs attention, the worst first. */
  readonly urgent: readonly Verdict[]
  /** By name, so that they stay where they are. */
  readonly others: readonly Verdict[]
  readonly more: number
}

/** It collapses, sheds or fell silent; an alert fires, or an agent refused its policy. One that never said anything is no incident. */
const needsAttention = ({ verdict, heardAt, service }: Verdict): boolean =>
  service.openAlerts > 0 ||
  service.agents.refused > 0 ||
  (verdict === 'silent' ? heardAt !== null : verdict !== 'healthy')

/** At most so many services of a page that begins with the worst. */
export const menuOf = ({ items, found }: Pick<Verdicts, 'items' | 'found'>, most: number): Menu => {
  const shown = items.slice(0, most)
  return {
    urgent: shown.filter(needsAttention),
    others: shown.filter((one) => !needsAttention(one)).sort((a, b) => (a.service.name < b.service.name ? -1 : 1)),
    more: found - shown.length,
  }
}
