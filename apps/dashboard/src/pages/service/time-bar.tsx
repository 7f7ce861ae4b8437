import type { ReactNode } from 'react'
import type { FiguresSearch } from '../../app/search.ts'
import type { Range, RangeSearch } from '../../outcomes/range.ts'
import { Compare } from '../../ui/compare.tsx'
import { RangePicker } from '../../ui/range-picker.tsx'
import classes from './service.module.css'
import type { Change } from './use-stage.ts'

interface TimeBarProps {
  readonly range: Range
  readonly step: number
  readonly search: FiguresSearch
  readonly onChange: Change
  readonly onShow: (time: RangeSearch) => void
  /** What stands at its left. */
  readonly children?: ReactNode
}

/** Which time is shown, and which is drawn behind it. */
export const TimeBar = ({ range, step, search, onChange, onShow, children }: TimeBarProps) => (
  <div className={classes.bar}>
    <div className={classes.where}>{children}</div>
    <div className={classes.time}>
      <Compare
        compared={search.compare}
        onChange={(compare) => (compare === undefined ? onChange({}, ['compare']) : onChange({ compare }))}
      />
      <RangePicker range={range} step={step} onChange={onShow} />
    </div>
  </div>
)
