import { SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'

/** Fleet totals sum only the gates where work enters: the same request passes several gates on its way. */
export const GatesChoice = ({ chosen }: { chosen: 'all' | undefined }) => {
  const navigate = useNavigate({ from: '/e/$environment' })
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
