import { IconAccessPoint, IconAccessPointOff, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { statusQuery } from '../api/queries.ts'
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

/** How often it is tried whether the control plane is away, or the socket alone. */
const TRY_MS = 3_000

const Stale = () => {
  const { lastAt } = useHub()
  const now = useNow()
  const plane = useQuery({ ...statusQuery, refetchInterval: TRY_MS, retry: false, networkMode: 'always' })
  const away = plane.error instanceof ApiProblem && (plane.error.status === 0 || plane.error.status >= 500)
  const since = lastAt === 0 ? '' : ` Last heard ${ago(lastAt, now)} (${timeOfDay(lastAt)}).`
  return (
    <div className={classes.banner} role="status" data-away={away}>
      <IconPlugConnectedX size={18} />
      <strong className={classes.live}>
        {away ? 'The control plane does not answer.' : 'The live connection is interrupted.'}
        {since}
      </strong>
      <span>
        {away
          ? 'The agents go on deciding with the last policy they had. What is shown is as old as that; it is tried again all the time.'
          : 'Until it is back figures are read from history every 5 seconds.'}
      </span>
    </div>
  )
}
