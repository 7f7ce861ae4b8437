import { useQueryClient } from '@tanstack/react-query'
import type { LiveMessage } from '@weir/api'
import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { LiveHub, type LiveStatus } from '../live/hub.ts'

const openSocket = (): WebSocket => {
  const secure = location.protocol === 'https:' ? 'wss' : 'ws'
  return new WebSocket(`${secure}://${location.host}/api/v1/live`, 'weir.live.v1')
}

const hub = new LiveHub(openSocket)
const HubContext = createContext(hub)

/** What an announcement makes old of what was read over REST. */
const STALE: Readonly<Partial<Record<LiveMessage['type'], readonly string[]>>> = {
  alert: ['alerts', 'annotations'],
  published: ['policy', 'versions', 'service', 'verdicts', 'agents', 'annotations'],
}

/** Keeps the live socket open while the operator is signed in, and lets its announcements refresh what was read over REST. */
export const LiveProvider = ({ children }: { children: ReactNode }) => {
  const client = useQueryClient()
  useEffect(() => {
    hub.start()
    return () => hub.stop()
  }, [])
  useEffect(
    () =>
      hub.listen((message) => {
        for (const key of STALE[message.type] ?? []) void client.invalidateQueries({ queryKey: [key] })
      }),
    [client],
  )
  return <HubContext value={hub}>{children}</HubContext>
}

export const useHub = (): LiveHub => useContext(HubContext)

export const useLiveStatus = (): LiveStatus => {
  const live = useHub()
  return useSyncExternalStore(live.onStatus, () => live.status)
}

export const useWatch = (environment: string | undefined, service: string | undefined): void => {
  const live = useHub()
  useEffect(() => {
    if (environment !== undefined) live.watch({ environment, service: service ?? null })
  }, [live, environment, service])
}

export const useLiveMessages = (listener: (message: LiveMessage) => void): void => {
  const live = useHub()
  useEffect(() => live.listen(listener), [live, listener])
}
