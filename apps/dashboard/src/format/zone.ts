const KEY = 'weir.zone'

export type Zone = 'local' | 'utc'

const stored = (): Zone => {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local'
  } catch {
    return 'local'
  }
}

let present: Zone = stored()
const listeners = new Set<() => void>()

/** In which zone times are written, on every page: the reader's own, or UTC, in which teams in several places talk. */
export const zone = (): Zone => present

export const setZone = (next: Zone): void => {
  present = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the next visit begins with local time.
  }
  for (const tell of listeners) tell()
}

export const toggleZone = (): void => setZone(present === 'utc' ? 'local' : 'utc')

export const onZone = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
