import { zone } from '../format/zone.ts'

const pad = (n: number): string => String(n).padStart(2, '0')
const DAY = 86_400

const day = {
  local: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
  utc: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
}

/** Hours, minutes, seconds in the reader's zone. */
const partsOf = (at: Date): readonly [number, number, number] =>
  zone() === 'utc'
    ? [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
    : [at.getHours(), at.getMinutes(), at.getSeconds()]

/** Labels of the time axis for ticks `increment` seconds apart: seconds only where they differ, the date at midnight. */
export const timeLabels = (ticks: readonly number[], increment: number): string[] =>
  ticks.map((second) => {
    const at = new Date(second * 1000)
    const [hours, minutes, seconds] = partsOf(at)
    if (increment >= DAY || (hours === 0 && minutes === 0 && seconds === 0)) return day[zone()].format(at)
    const short = `${pad(hours)}:${pad(minutes)}`
    return increment < 60 ? `${short}:${pad(seconds)}` : short
  })

/** Upper end of a value axis that begins at 0: a little air above the highest, never an empty scale. */
export const ceilingOf = (highest: number | null | undefined, least: number): number => {
  const top = Math.max(least, (highest ?? 0) * 1.08)
  const size = 10 ** Math.floor(Math.log10(top))
  const unit = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * size >= top) ?? 10
  return unit * size
}
