import { SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import uiClasses from '../../ui/ui.module.css'

/** Fleet totals sum only the gates where work enters: the same request passes several gates on its way. */
export const GatesChoice = ({ chosen, noEdge }: { chosen: 'all' | undefined; noEdge: boolean }) => {
  const navigate = useNavigate({ from: '/e/$environment' })
  if (noEdge)
    return (
      <p className={uiClasses.hint}>
        No gate is marked <code>edge</code>, so that all gates are summed: work that passes several of them is counted
        at each.
      </p>
    )
  return (
    <SegmentedControl
      size="xs"
      aria-label="Gates that are summed"
      value={chosen ?? 'edge'}
      data={[
        { value: 'edge', label: 'Edge gates' },
        { value: 'all', label: 'All gates' },
      ]}
      onChange={(value) =>
        void navigate({ search: ({ gates: _, ...rest }) => (value === 'all' ? { ...rest, gates: 'all' } : rest) })
      }
    />
  )
}
