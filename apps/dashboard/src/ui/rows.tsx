import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import classes from './rows.module.css'

export interface Column<T> {
  readonly key: string
  readonly label: string
  /** A track of the grid: `minmax(120px, 1fr)`. */
  readonly track: string
  readonly number?: boolean
  /** Where cells stand below each other, it stands among the numbers, under its label. Numbers always do. */
  readonly labelled?: boolean
  readonly cell: (row: T) => ReactNode
}

interface RowsProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  /** `undefined`: not read yet. */
  readonly rows: readonly (T | undefined)[]
  readonly keyOf: (row: T) => string
  readonly rowHeight: number
  /** Below this the table scrolls sideways, px. */
  readonly minWidth: number
  /** The first and the last row that are in the document now. */
  readonly onSight?: (first: number, last: number) => void
  /** On a narrow screen the cells of a row stand below each other, instead of being scrolled sideways. */
  readonly stacks?: boolean
}

/** A table of any length: only the rows in sight are in the document, scrolled with the page. */
export const Rows = <T,>({ label, columns, rows, keyOf, rowHeight, minWidth, onSight, stacks }: RowsProps<T>) => {
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
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onSight?.(first, last), [onSight, first, last])
  const shown = new Set<unknown>()
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
          {items.map((item) => {
            // A row that moved between two pages comes twice until both are read again.
            const row = shown.has(item.key) ? undefined : rows[item.index]
            shown.add(item.key)
            const place = { transform: `translateY(${item.start - scrollMargin}px)` }
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above
              <div
                role="row"
                key={row === undefined ? item.index : item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                aria-rowindex={item.index + 2}
                className={classes.row}
                style={row === undefined ? { ...place, height: rowHeight } : place}
                tabIndex={-1}
              >
                {columns.map(({ key, label, number, labelled, cell }) => (
                  // biome-ignore lint/a11y/useSemanticElements: see above
                  <div
                    role="cell"
                    key={key}
                    data-number={number === true}
                    data-labelled={number === true || labelled === true}
                    data-label={label}
                  >
                    {row === undefined ? <span className={classes.blank} /> : cell(row)}
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
