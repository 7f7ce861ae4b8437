import uPlot from 'uplot'
import { zone } from '../format/zone.ts'
import { ceilingOf, timeLabels } from './axis.ts'
import { isolated, type Line } from './lines.ts'

/** A vertical mark on the time axis: a policy was published, an alert was raised. */
export interface Mark {
  readonly second: number
  readonly label: string
  /** A custom property of the style sheet, without `--w-`. */
  readonly tone: string
}

export interface PlotOptions {
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
  /** Charts of one page share their cursor. */
  readonly cursorKey: string
  readonly format: (value: number | null) => string
  /** Least upper end of the value axis. */
  readonly least: number
  /** Largest upper end of the value axis. */
  readonly most: number
  readonly bounds: () => readonly [number, number]
  readonly marks: () => readonly Mark[]
  readonly onZoom: (from: number, to: number) => void
  /** A click that was no drag. */
  readonly onPick: (second: number) => void
  readonly onCursor: (index: number | null) => void
}

const FONT = '11px system-ui, sans-serif'

type Paint = (name: string) => string

const painter = (element: HTMLElement): Paint => {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(`--w-${name}`).trim()
}

const seriesOf = (line: Line, paint: Paint): uPlot.Series => ({
  label: line.label,
  stroke: paint(line.tone),
  width: line.width ?? 1.5,
  spanGaps: false,
  ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
  ...(line.area === true ? { fill: `${paint(line.tone)}26` } : {}),
  points: {
    show: true,
    size: 4,
    filter: (plot, index) => {
      const [from, to] = plot.series[0]?.idxs ?? [0, 0]
      return isolated(plot.data[index] ?? [], from, to)
    },
  },
})

const axesOf = (options: PlotOptions, paint: Paint): uPlot.Axis[] => {
  const common = {
    stroke: paint('dim'),
    font: FONT,
    grid: { stroke: paint('grid'), width: 1 },
    ticks: { show: false },
  }
  return [
    { ...common, grid: { show: false }, size: 30, space: 76, values: (_, ticks, __, ___, by) => timeLabels(ticks, by) },
    { ...common, size: 58, space: 34, values: (_, ticks) => ticks.map((tick) => options.format(tick)) },
  ]
}

const drawMarks = (plot: uPlot, marks: readonly Mark[], paint: Paint): void => {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.font = `${11 * ratio}px system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.lineWidth = ratio
  ctx.setLineDash([3 * ratio, 3 * ratio])
  const ends: number[] = []
  for (const mark of [...marks].sort((a, b) => a.second - b.second)) {
    const x = Math.round(plot.valToPos(mark.second, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.fillStyle = ctx.strokeStyle = paint(mark.tone)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const width = ctx.measureText(mark.label).width
    const right = x + width + 8 * ratio > bbox.left + bbox.width
    const left = right ? x - width - 4 * ratio : x + 4 * ratio
    // Labels that would lie on each other stand below each other; past the third they are left to the list under the chart.
    const row = [0, 1, 2].find((at) => (ends[at] ?? 0) <= left)
    if (row === undefined) continue
    ends[row] = left + width + 6 * ratio
    ctx.fillText(mark.label, left, bbox.top + (11 + 13 * row) * ratio)
  }
  ctx.restore()
}

/** Makes the chart inside `element`, in the colours that the element's theme gives now. */
export const makePlot = (element: HTMLElement, options: PlotOptions): uPlot => {
  const paint = painter(element)
  let dragged = false
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      padding: [8, 16, 0, 0],
      tzDate: (second) => (zone() === 'utc' ? uPlot.tzDate(new Date(second * 1e3), 'Etc/UTC') : new Date(second * 1e3)),
      legend: { show: false },
      cursor: {
        sync: { key: options.cursorKey, setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
        y: false,
      },
      scales: {
        x: { time: true, range: () => [...options.bounds()] as [number, number] },
        y: { range: (_, __, highest) => [0, Math.min(options.most, ceilingOf(highest, options.least))] },
      },
      axes: axesOf(options, paint),
      series: [{}, ...options.lines.map((line) => seriesOf(line, paint))],
      hooks: {
        ready: [
          (plot) =>
            plot.over.addEventListener('click', () => {
              if (!dragged && plot.cursor.left !== undefined && plot.cursor.left >= 0)
                options.onPick(plot.posToVal(plot.cursor.left, 'x'))
              dragged = false
            }),
        ],
        draw: [(plot) => drawMarks(plot, options.marks(), paint)],
        setCursor: [(plot) => options.onCursor(plot.cursor.idx ?? null)],
        setSelect: [
          (plot) => {
            if (plot.select.width < 4) return
            dragged = true
            const from = plot.posToVal(plot.select.left, 'x')
            const to = plot.posToVal(plot.select.left + plot.select.width, 'x')
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            options.onZoom(from, to)
          },
        ],
      },
    },
    [[], ...options.lines.map(() => [])],
    element,
  )
}
