import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { Board } from '../outcomes/board.ts'
import type { Point } from '../outcomes/timeline.ts'
import classes from './chart.module.css'
import { forget, onNextFrame } from './frame.ts'

interface SparkProps {
  readonly board: Board
  readonly line: string
  readonly bounds: () => readonly [number, number]
}

const HEIGHT = 28

const polyline = (context: CanvasRenderingContext2D, values: readonly Point[], width: number, top: number): void => {
  let drawing = false
  context.beginPath()
  values.forEach((value, i) => {
    if (value === null) {
      drawing = false
      return
    }
    const x = (i / Math.max(1, values.length - 1)) * width
    const y = HEIGHT - 2 - (value / top) * (HEIGHT - 4)
    if (drawing) context.lineTo(x, y)
    else context.moveTo(x, y)
    drawing = true
  })
  context.stroke()
}

const paint = (canvas: HTMLCanvasElement, { board, line, bounds }: SparkProps): void => {
  const context = canvas.getContext('2d')
  const timeline = board.line(line)
  const width = canvas.clientWidth
  if (context === null || width === 0) return
  canvas.width = width * devicePixelRatio
  canvas.height = HEIGHT * devicePixelRatio
  context.scale(devicePixelRatio, devicePixelRatio)
  if (timeline === undefined) return
  const [from, to] = bounds()
  const buckets = Math.ceil((to - from) / board.step)
  const offered: Point[] = []
  const completed: Point[] = []
  timeline.read('offered', from, buckets, 1, offered)
  timeline.read('completed', from, buckets, 1, completed)
  const top = Math.max(1, ...offered.map((v) => v ?? 0), ...completed.map((v) => v ?? 0))
  const style = getComputedStyle(canvas)
  context.lineWidth = 1
  context.setLineDash([3, 2])
  context.strokeStyle = style.getPropertyValue('--w-offered')
  polyline(context, offered, width, top)
  context.setLineDash([])
  context.lineWidth = 1.5
  context.strokeStyle = style.getPropertyValue('--w-completed')
  polyline(context, completed, width, top)
}

/** Offered (dashed) and completed (solid) in the height of a row; the row's figures say the same in text. */
export const Spark = (props: SparkProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scheme = useComputedColorScheme('light')
  const { board, line, bounds } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme needs another drawing
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const draw = () => paint(element, { board, line, bounds })
    const ask = () => onNextFrame(draw)
    const leave = board.subscribe(ask)
    const resize = new ResizeObserver(ask)
    resize.observe(element)
    return () => {
      leave()
      resize.disconnect()
      forget(draw)
    }
  }, [board, line, bounds, scheme])
  return (
    <span aria-hidden="true">
      <canvas ref={canvas} className={classes.spark} />
    </span>
  )
}
