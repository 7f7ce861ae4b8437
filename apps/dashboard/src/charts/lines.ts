import type { Board } from '../outcomes/board.ts'
import type { Point } from '../outcomes/timeline.ts'

/** One drawn line: which figure of which timeline, and how it looks. Dash tells lines apart where colour cannot. */
export interface Line {
  readonly id: string
  readonly label: string
  /** A custom property of the style sheet, without `--w-`. */
  readonly tone: string
  /** Name of the board's timeline. */
  readonly line: string
  /** Timelines whose figure is added to it: what is drawn as one. */
  readonly also?: readonly string[]
  readonly figure: string
  /** `rate` divides a count by its bucket's seconds; a number multiplies. */
  readonly factor: 'rate' | number
  readonly dash?: readonly number[]
  readonly area?: boolean
  readonly width?: number
}

/** Start of the first bucket, how many, and the bucket's seconds. */
export interface Window {
  readonly from: number
  readonly count: number
  readonly step: number
}

export const windowOf = (from: number, to: number, step: number): Window => {
  const start = Math.floor(from / step) * step
  return { from: start, count: Math.max(1, Math.ceil((to - start) / step)), step }
}

/** Arrays that live as long as the chart: no frame makes new ones. */
export class Columns {
  readonly x: number[] = []
  readonly raw: Point[][]
  readonly #part: Point[] = []

  constructor(readonly lines: readonly Line[]) {
    this.raw = lines.map(() => [])
  }

  read(board: Board, window: Window): void {
    this.x.length = window.count
    for (let i = 0; i < window.count; i++) this.x[i] = window.from + i * window.step
    this.lines.forEach((line, index) => {
      const out = this.raw[index]
      if (out === undefined) return
      out.length = window.count
      out.fill(null)
      const factor = line.factor === 'rate' ? 1 / window.step : line.factor
      board.line(line.line)?.read(line.figure, window.from, window.count, factor, out)
      for (const name of line.also ?? []) {
        board.line(name)?.read(line.figure, window.from, window.count, factor, this.#part)
        for (let i = 0; i < this.#part.length; i++) {
          const value = this.#part[i]
          if (value != null) out[i] = (out[i] ?? 0) + value
        }
        this.#part.length = 0
      }
    })
  }
}

/**
 * Running sums from the first line to the last, for a stacked chart. A bucket in which no line was heard stays a gap; where some were,
 * the others count as 0.
 */
export const stack = (raw: readonly (readonly Point[])[], out: Point[][]): void => {
  const length = raw[0]?.length ?? 0
  for (let i = 0; i < length; i++) {
    const heard = raw.some((line) => line[i] !== null && line[i] !== undefined)
    let sum = 0
    raw.forEach((line, index) => {
      sum += line[i] ?? 0
      const column = out[index]
      if (column !== undefined) column[i] = heard ? sum : null
    })
  }
  for (const column of out) column.length = length
}

/** Indices of points with a gap on both sides: a line through one point is invisible, so they are drawn as dots. */
export const isolated = (values: ArrayLike<Point | undefined>, from: number, to: number): number[] => {
  const found: number[] = []
  for (let i = from; i <= to; i++) {
    const alone = values[i] != null && values[i - 1] == null && values[i + 1] == null
    if (alone) found.push(i)
  }
  return found
}

/** Newest known value among the last few buckets; the very last may not have arrived yet. */
export const newest = (values: readonly Point[], within = 5): Point => {
  for (let i = values.length - 1; i >= Math.max(0, values.length - within); i--) {
    const value = values[i]
    if (value !== null && value !== undefined) return value
  }
  return null
}
