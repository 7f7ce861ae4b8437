import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { ago, moment } from '../format/times.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let present = Date.now()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  if (timer === undefined) present = Date.now()
  timer ??= setInterval(() => {
    present = Date.now()
    for (const tell of listeners) tell()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The present time in ms, new every second; one timer for the page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => present)

/** A time as how long ago, with the exact moment beside it for who asks. */
export const When = ({ time }: { time: string | number }) => {
  const now = useNow()
  const at = typeof time === 'number' ? time : Date.parse(time)
  return (
    <Tooltip label={moment(at)}>
      <time dateTime={new Date(at).toISOString()} style={{ whiteSpace: 'nowrap' }}>
        {ago(at, now)}
      </time>
    </Tooltip>
  )
}
