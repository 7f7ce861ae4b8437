import { Button, Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { onZone, toggleZone, zone } from '../format/zone.ts'

export const useZone = () => useSyncExternalStore(onZone, zone)

export const ZoneToggle = () => {
  const present = useZone()
  const label = present === 'utc' ? 'Times are in UTC. Show local time' : 'Times are local. Show UTC'
  return (
    <Tooltip label={label}>
      <Button visibleFrom="xs" size="compact-sm" variant="subtle" color="gray" aria-label={label} onClick={toggleZone}>
        {present === 'utc' ? 'UTC' : 'Local'}
      </Button>
    </Tooltip>
  )
}
