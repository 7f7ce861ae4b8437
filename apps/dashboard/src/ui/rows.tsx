import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import classes from './rows.module.css'

export interface Column<T> {
  readonly key: string
  readonly label: string
  /** A track of the grid: `minmax(120px, 1fr)`. */
  readonly track: string
  readonly number?: boolean
  readonly cell: (row: T) => ReactNode
}

interface RowsProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly rowHeight: number
  /** Below this the table scrolls sideways, px. */
  readonly minWidth: number
  /** The last row is near: more may be asked for. */
  readonly onEnd?: () => void
  /** On a narrow screen the cells of a row stand below each other, instead of being scrolled sideways. */
  readonly stacks?: boolean
}

/** A table of any length: only the rows in sight are in the document, scrolled with the page. */
export const Rows = <T,>({ label, columns, rows, keyOf, rowHeight, minWidth, onEnd, stacks }: RowsProps<T>) => {
  const body = useRef<HTMLDivElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY
    setScrollMargin((before) => (Math.abs(before - top) > 1 ? top : before))
  })
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
  })
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each row that comes into sight last
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 1) onEnd?.()
  }, [last, rows.length])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      {/* biome-ignore lint/a11y/useSemanticElements: rows placed by the virtualiser cannot be table rows */}
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={stacks ? classes.stacks : classes.table}
        style={{ '--tracks': columns.map(({ track }) => track).join(' '), '--least': `${minWidth}px` } as CSSProperties}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div role="row" className={classes.head} tabIndex={-1}>
          {columns.map(({ key, label, number }) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <span role="columnheader" key={key} data-number={number === true} tabIndex={-1}>
              {label}
            </span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div role="rowgroup" ref={body} className={classes.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            const place = { transform: `translateY(${item.start - scrollMargin}px)` }
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above
              <div
                role="row"
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                aria-rowindex={item.index + 2}
                className={classes.row}
                style={place}
                tabIndex={-1}
              >
                {columns.map(({ key, label, number, cell }) => (
                  // biome-ignore lint/a11y/useSemanticElements: see above
                  <div role="cell" key={key} data-number={number === true} data-label={label}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}
