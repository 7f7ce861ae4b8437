import { IconCircleCheck, IconCircleHalf2, IconCircleX } from '@tabler/icons-react'
import type { Reported } from '@weir/api'
import { plural, share } from '../../format/numbers.ts'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'

/** Where the breakers stand now, over the live agents. */
export const Breakers = ({ reported }: { reported: Reported['dependencies'][number] | undefined }) => {
  if (reported === undefined) return <span className={ui.dim}>No live agent reports on it.</span>
  const { processes, open, halfOpen, budgetLeft } = reported
  return (
    <div className={ui.tags}>
      {open > 0 && (
        <State tone="bad" icon={<IconCircleX size={15} />}>
          Breaker open in {open} of {plural(processes, 'process', 'processes')}
        </State>
      )}
      {halfOpen > 0 && (
        <State tone="warn" icon={<IconCircleHalf2 size={15} />}>
          Half-open in {halfOpen}
        </State>
      )}
      {open + halfOpen === 0 && (
        <State tone="good" icon={<IconCircleCheck size={15} />}>
          Breakers closed
        </State>
      )}
      <span className={ui.dim}>Least retry budget left: {share(budgetLeft)}</span>
    </div>
  )
}
