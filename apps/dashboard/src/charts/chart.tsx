import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { NOTHING } from '../format/numbers.ts'
import { timeOfDay } from '../format/times.ts'
import type { Board } from '../outcomes/board.ts'
import classes from './chart.module.css'
import { forget, onNextFrame } from './frame.ts'
import { followKeys } from './keys.ts'
import { Legend } from './legend.tsx'
import { Columns, type Line, newest, stack, windowOf } from './lines.ts'
import { type Mark, makePlot } from './plot.ts'

export interface ChartProps {
  readonly title: string
  /** What the values are, for the heading: `per second`. */
  readonly unit: string
  readonly board: Board
  readonly lines: readonly Line[]
  /** The time shown, seconds. Read at every frame: a live range moves. */
  readonly bounds: () => readonly [number, number]
  readonly format: (value: number | null) => string
  readonly cursorKey: string
  readonly marks?: readonly Mark[]
  readonly stacked?: boolean
  readonly height?: number
  readonly least?: number
  /** Upper end that no value passes: of a share, of a count of processes. */
  readonly most?: number
  readonly onZoom: (from: number, to: number) => void
  /** Somebody asks about a moment: by a click, or by Enter at the cursor. */
  readonly onPick?: ((second: number) => void) | undefined
  /** The panel around it bears the title. */
  readonly bare?: boolean
}

const NO_MARKS: readonly Mark[] = []

interface Drawing {
  readonly plot: uPlot
  readonly columns: Columns
  readonly drawn: (number | null)[][]
  cursor: number | null
}

/** Writes the values under the cursor, or the newest, into the legend without React. */
const writeLegend = (root: HTMLElement, drawing: Drawing, format: (value: number | null) => string): void => {
  const cells = root.querySelectorAll<HTMLElement>('[data-value]')
  cells.forEach((cell, index) => {
    const values = drawing.columns.raw[index]
    const value =
      values === undefined ? null : drawing.cursor === null ? newest(values) : (values[drawing.cursor] ?? null)
    const text = value === null ? NOTHING : format(value)
    if (cell.textContent !== text) cell.textContent = text
  })
}

/** The moment and the values of the lines, for who does not see the cursor. */
const describe = ({ columns }: Drawing, { lines, format }: ChartProps, index: number): string => {
  const values = lines.map(({ label }, line) => {
    const value = columns.raw[line]?.[index] ?? null
    return `${label} ${value === null ? 'not heard' : format(value)}`
  })
  return `${timeOfDay((columns.x[index] ?? 0) * 1_000)}: ${values.join(', ')}`
}

const paint = (drawing: Drawing, props: ChartProps, root: HTMLElement, hidden: ReadonlySet<string>): void => {
  const [from, to] = props.bounds()
  const { plot, columns, drawn } = drawing
  columns.read(props.board, windowOf(from, to, props.board.step))
  const shown = columns.raw.map((values, i) => (hidden.has(props.lines[i]?.id ?? '') ? values.map(() => null) : values))
  if (props.stacked === true) stack(shown, drawn)
  const ys = props.stacked === true ? [...drawn].reverse() : shown
  plot.setData([columns.x, ...ys], true)
  const silent = props.board.read && columns.raw.every((values) => values.every((value) => value === null))
  root.dataset.silent = String(silent)
  writeLegend(root, drawing, props.format)
}

/** A chart over time on canvas: redrawn at most once a frame, not at all while it is out of sight. */
export const Chart = (props: ChartProps) => {
  const root = useRef<HTMLElement>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const hiddenNow = useRef(hidden)
  hiddenNow.current = hidden
  const redraw = useRef<() => void>(() => {})
  const scheme = useComputedColorScheme('light')
  const shape = JSON.stringify(props.lines)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme and the lines' shape are what makes another chart
  useEffect(() => {
    const box = canvas.current
    const frame = root.current
    if (box === null || frame === null) return
    return attach(box, frame, latest, hiddenNow, redraw)
  }, [props.board, scheme, shape, props.stacked, props.least, props.most])

  // biome-ignore lint/correctness/useExhaustiveDependencies: these change what the next frame shows
  useEffect(() => redraw.current(), [hidden, props.marks, props.bounds])

  const toggle = (id: string) =>
    setHidden((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })

  return (
    <figure className={classes.chart} ref={root} aria-label={`${props.title}, ${props.unit}`}>
      {props.bare !== true && (
        <figcaption className={classes.caption}>
          <h3 className={classes.title}>{props.title}</h3>
          <span className={classes.unit}>{props.unit}</span>
        </figcaption>
      )}
      <Legend lines={props.lines} hidden={hidden} onToggle={toggle} />
      <div
        className={classes.stage}
        role="slider"
        tabIndex={0}
        aria-label={`Moment in ${props.title}`}
        aria-valuemin={0}
        aria-valuemax={0}
        aria-valuenow={0}
        aria-valuetext="now"
      >
        <div className={classes.canvas} ref={canvas} style={{ height: props.height ?? 200 }} aria-hidden="true" />
        <p className={classes.silence}>Nothing was heard in this time</p>
      </div>
    </figure>
  )
}

type Box<T> = { current: T }

const attach = (
  box: HTMLElement,
  root: HTMLElement,
  latest: Box<ChartProps>,
  hidden: Box<ReadonlySet<string>>,
  redraw: Box<() => void>,
): (() => void) => {
  const { lines, stacked, board } = latest.current
  const height = latest.current.height ?? 200
  let visible = true
  const drawing: Drawing = {
    columns: new Columns(lines),
    drawn: lines.map(() => []),
    cursor: null,
    plot: makePlot(box, {
      lines: stacked === true ? lines.map((line) => ({ ...line, area: true })).reverse() : lines,
      width: Math.max(120, box.clientWidth),
      height,
      cursorKey: latest.current.cursorKey,
      least: latest.current.least ?? 1,
      most: latest.current.most ?? Number.POSITIVE_INFINITY,
      format: (value) => latest.current.format(value),
      bounds: () => latest.current.bounds(),
      marks: () => latest.current.marks ?? NO_MARKS,
      onZoom: (from, to) => latest.current.onZoom(from, to),
      onPick: (second) => latest.current.onPick?.(second),
      onCursor: (index) => {
        drawing.cursor = index
        writeLegend(root, drawing, latest.current.format)
      },
    }),
  }
  const draw = () => paint(drawing, latest.current, root, hidden.current)
  const ask = () => {
    if (visible) onNextFrame(draw)
  }
  redraw.current = ask
  const leave = board.subscribe(ask)
  const resize = new ResizeObserver(() => drawing.plot.setSize({ width: Math.max(120, box.clientWidth), height }))
  const sight = new IntersectionObserver(([entry]) => {
    visible = entry?.isIntersecting ?? true
    ask()
  })
  const leaveKeys = followKeys(box.parentElement ?? box, drawing.plot, () => ({
    describe: (index) => describe(drawing, latest.current, index),
    onPick: latest.current.onPick,
  }))
  resize.observe(box)
  sight.observe(box)
  ask()
  return () => {
    leave()
    leaveKeys()
    resize.disconnect()
    sight.disconnect()
    forget(draw)
    drawing.plot.destroy()
  }
}
