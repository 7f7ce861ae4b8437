import type { Verdict } from '@weir/api'
import classes from './chart.module.css'

const WIDTH = 120
const HEIGHT = 28

const pathOf = (values: readonly (number | null)[], top: number): string =>
  values
    .map((value, i) => {
      if (value === null) return ''
      const x = ((i / Math.max(1, values.length - 1)) * WIDTH).toFixed(1)
      const y = (HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)
      return `${i === 0 || values[i - 1] === null ? 'M' : 'L'}${x} ${y}`
    })
    .join('')

/** Offered (dashed) and goodput (solid) in the height of a row; the row's figures say the same in text. */
export const Trend = ({ trend }: { trend: Verdict['trend'] }) => {
  const top = Math.max(1, ...trend.offered.map((v) => v ?? 0), ...trend.goodput.map((v) => v ?? 0))
  return (
    <svg className={classes.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={pathOf(trend.offered, top)} className={classes.sparkOffered} />
      <path d={pathOf(trend.goodput, top)} className={classes.sparkGoodput} />
    </svg>
  )
}
