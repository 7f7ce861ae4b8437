import { Button, Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { onZone, setZone, zone } from '../format/zone.ts'

export const useZone = () => useSyncExternalStore(onZone, zone)

export const ZoneToggle = () => {
  const present = useZone()
  const other = present === 'utc' ? 'local' : 'utc'
  const label = present === 'utc' ? 'Times are in UTC. Show local time' : 'Times are local. Show UTC'
  return (
    <Tooltip label={label}>
      <Button
        visibleFrom="xs"
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={label}
        onClick={() => setZone(other)}
      >
        {present === 'utc' ? 'UTC' : 'Local'}
      </Button>
    </Tooltip>
  )
}
