import { zone } from './zone.ts'

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const DATED = { year: 'numeric', month: 'short', day: '2-digit', ...CLOCK } as const

/** A format in both zones. */
const both = (options: Intl.DateTimeFormatOptions) => ({
  local: new Intl.DateTimeFormat('en-GB', options),
  utc: new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }),
})
const clock = both(CLOCK)
const dated = both(DATED)

/** How long ago, coarse on purpose: it is read beside the absolute time. `now` and `then` in ms. */
export const ago = (then: number, now: number): string => {
  const seconds = Math.max(0, Math.round((now - then) / 1000))
  if (seconds < 1) return 'just now'
  if (seconds < 90) return `${seconds} s ago`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  return hours < 36 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`
}

/** Date and time of day, in the reader's zone; UTC is said. */
export const moment = (time: number | string): string =>
  `${dated[zone()].format(new Date(time))}${zone() === 'utc' ? ' UTC' : ''}`

/** Time of day, in the reader's zone. */
export const timeOfDay = (time: number | string): string => clock[zone()].format(new Date(time))

/** What a `datetime-local` field shows for a second, in the reader's zone, and what a text in it means, ms. */
export const fieldOf = (second: number): string => {
  const at = new Date(second * 1000)
  const shift = zone() === 'utc' ? 0 : at.getTimezoneOffset() * 60_000
  return new Date(at.getTime() - shift).toISOString().slice(0, 19)
}
export const parseField = (text: string): number => Date.parse(zone() === 'utc' ? `${text}Z` : text)

/** How long something lasted, from ms: 45 s · 12 min · 3.5 h. */
export const span = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 360) / 10} h`
}
