import { type OutcomeQuery } from '../../features/outcomes/outcome-store.ts'
import type { Cut } from '../../features/outcomes/roll-up.ts'
import { PEAK_METRIC, SUM_METRIC, WEIGHT } from './samples.ts'

/** A list of matchers, without braces. */
type Matchers = string

const quoted = (text: string): string => JSON.stringify(text.toWellFormed())
const is = (label: string, value: string): Matchers => `${label}=${quoted(value)}`
const literally = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

/** One of these values, or none of them. */
export const oneOf = (label: string, values: readonly string[], not = false): Matchers =>
  `${label}${not ? '!~' : '=~'}${quoted(values.map(literally).join('|'))}`

export const matchersOf = ({ environment, kind, service, name, edge }: OutcomeQuery, cut: Cut): Matchers =>
  [
    is('environment', environment),
    is('kind', kind),
    is('cut', cut),
    ...(service === null ? [] : [is('service', service)]),
    ...(name === null ? [] : [is('name', name)]),
    ...(edge === null ? [] : [is('edge', String(edge))]),
  ].join(',')

/** The label that tells the series of an answer apart; `null`: there is one. */
export const labelOf = ({ labelBy, service }: OutcomeQuery): string | null => {
  if (labelBy === 'nothing') return null
  return labelBy === 'name' && service === null ? 'place' : labelBy
}

/** The heaviest series of a time, one more than asked for. */
export const heaviest = (matchers: Matchers, label: string, seconds: number, most: number): string =>
  `topk(${most + 1}, sum by (${label}) (sum_over_time(${SUM_METRIC}{${matchers},${is('figure', WEIGHT)}}[${seconds}s])))`

/** Every figure of buckets of so many seconds, over all replicas. */
export const figuresBy = (matchers: Matchers, labels: readonly string[], seconds: number): string => {
  const by = ['figure', 'bucket', ...labels].join(', ')
  return `sum by (${by}) (sum_over_time(${SUM_METRIC}{${matchers}}[${seconds}s])) or max by (${by}) (max_over_time(${PEAK_METRIC}{${matchers}}[${seconds}s]))`
}

/** What gates of these environments were offered and refused, by service and second. */
export const shedding = (environments: readonly string[]): string =>
  `sum by (environment, service, figure) (sum_over_time(${SUM_METRIC}{${oneOf('environment', environments)},${is('kind', 'gate')},${is('cut', 'total')},${oneOf('figure', [WEIGHT, 'offered', 'shed', 'expired'])}}[1s]))`

/** Sums by service and kind that verdicts are made of, and the largest of one peak. */
export const moments = (environment: string, sums: readonly string[], peak: string, seconds: number): string => {
  const of = `${is('environment', environment)},${is('cut', 'total')}`
  const by = 'service, kind, figure'
  return `sum by (${by}) (sum_over_time(${SUM_METRIC}{${of},${oneOf('figure', [WEIGHT, ...sums])}}[${seconds}s])) or max by (${by}) (max_over_time(${PEAK_METRIC}{${of},${is('figure', peak)}}[${seconds}s]))`
}

/** Offered and refused work of gates by label. */
export const cuts = (environment: string, cut: readonly Cut[], seconds: number): string =>
  `sum by (service, cut, label, figure) (sum_over_time(${SUM_METRIC}{${is('environment', environment)},${is('kind', 'gate')},${oneOf('cut', cut)},${oneOf('figure', [WEIGHT, 'offered', 'shed', 'expired'])}}[${seconds}s]))`

/** Figures of dependencies; histograms as the number of what they hold. */
export const calls = (environment: string, figures: readonly string[], seconds: number): string =>
  `sum by (service, name, figure) (sum_over_time(${SUM_METRIC}{${is('environment', environment)},${is('kind', 'dependency')},${is('cut', 'total')},${oneOf('figure', [WEIGHT, ...figures])}}[${seconds}s]))`
