import { IconAccessPoint, IconAccessPointOff, IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { ago, timeOfDay } from '../format/times.ts'
import { State } from '../ui/state.tsx'
import { useNow } from '../ui/when.tsx'
import { useHub, useLiveStatus } from './live.tsx'
import classes from './shell.module.css'

export const LiveState = () => {
  const status = useLiveStatus()
  if (status === 'live')
    return (
      <State tone="good" icon={<IconAccessPoint size={16} />}>
        Live
      </State>
    )
  return (
    <State tone={status === 'down' ? 'warn' : 'dim'} icon={<IconAccessPointOff size={16} />}>
      {status === 'down' ? 'Interrupted' : 'Connecting'}
    </State>
  )
}

/** Short breaks mend themselves: the banner waits this long before it speaks. */
const PATIENCE_MS = 3_000

/** Says honestly that what is shown is no longer new, since when, and that the page can still be used. */
export const StaleBanner = () => {
  const status = useLiveStatus()
  const [shown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    if (status === 'live') return
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [status])
  return shown ? <Stale /> : null
}

const Stale = () => {
  const { lastAt } = useHub()
  const now = useNow()
  return (
    <div className={classes.banner} role="status">
      <IconPlugConnectedX size={18} />
      <strong className={classes.live}>
        {lastAt === 0 ? 'No live connection.' : `Last live update ${ago(lastAt, now)} (${timeOfDay(lastAt)}).`}
      </strong>
      <span>Connecting again. Until then figures are read from history every 5 seconds.</span>
    </div>
  )
}
