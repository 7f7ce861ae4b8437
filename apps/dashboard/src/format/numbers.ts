const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })
const finest = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** What stands where nothing was heard: a gap is never shown as 0. */
export const NOTHING = '–'

type Figure = number | null | undefined

const known = (value: Figure): value is number => typeof value === 'number' && Number.isFinite(value)

/** A count of work, whole. */
export const count = (value: Figure): string => (known(value) ? whole.format(value) : NOTHING)

/** A figure with as many decimals as its size deserves: 1,234 · 56.7 · 0.89. */
export const figure = (value: Figure): string => {
  if (!known(value)) return NOTHING
  const size = Math.abs(value)
  return size >= 100 ? whole.format(value) : size >= 10 ? fine.format(value) : finest.format(value)
}

/** Work per second. */
export const rate = (value: Figure): string => (known(value) ? `${figure(value)}/s` : NOTHING)

/** An axis label: 1.2K. */
export const short = (value: Figure): string =>
  known(value) ? (Math.abs(value) >= 10_000 ? compact.format(value) : figure(value)) : NOTHING

/** A share 0..1 as per cent; a share that is not quite 0 or 1 is never rounded to 0 % or 100 %. */
export const share = (value: Figure): string => {
  if (!known(value)) return NOTHING
  if (value > 0 && value < 0.001) return '< 0.1 %'
  if (value < 1 && value > 0.999) return '> 99.9 %'
  return `${fine.format(value * 100)} %`
}

/** Part of a whole; `null` where the whole is 0, since 0 of 0 is no share. */
export const shareOf = (part: number, total: number): number | null => (total > 0 ? part / total : null)

/** A duration given in seconds: 850 µs · 12 ms · 1.25 s · 3 min. */
export const duration = (seconds: Figure): string => {
  if (!known(seconds)) return NOTHING
  const size = Math.abs(seconds)
  if (size === 0) return '0 ms'
  if (size < 0.001) return `${figure(seconds * 1e6)} µs`
  if (size < 1) return `${figure(seconds * 1e3)} ms`
  if (size < 120) return `${finest.format(seconds)} s`
  return `${fine.format(seconds / 60)} min`
}

/** A duration given in milliseconds. */
export const milliseconds = (value: Figure): string => duration(known(value) ? value / 1000 : null)

/** `1 agent`, `2 agents`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`
