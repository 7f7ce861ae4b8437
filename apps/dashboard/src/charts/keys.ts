import type uPlot from 'uplot'

interface KeysOptions {
  /** The moment and the values at it, in words. */
  readonly describe: (index: number) => string
  readonly onPick: ((second: number) => void) | undefined
}

/** Steps of the cursor, in buckets. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -60, PageUp: 60 }
const LARGER = 10

/** Moves the cursor of a chart, and of those that share it, by the keyboard; Enter picks the moment. Returns how to stop. */
export const followKeys = (stage: HTMLElement, plot: uPlot, options: () => KeysOptions): (() => void) => {
  const show = (index: number): void => {
    const second = plot.data[0][index]
    if (second === undefined) return
    plot.setCursor({ left: plot.valToPos(second, 'x'), top: 0 })
    stage.setAttribute('aria-valuemax', String(plot.data[0].length - 1))
    stage.setAttribute('aria-valuenow', String(index))
    stage.setAttribute('aria-valuetext', options().describe(index))
  }
  const press = (event: KeyboardEvent): void => {
    const last = plot.data[0].length - 1
    const at = plot.cursor.idx ?? last
    const step = STEPS[event.key]
    if (step !== undefined) show(Math.max(0, Math.min(last, at + step * (event.shiftKey ? LARGER : 1))))
    else if (event.key === 'Home') show(0)
    else if (event.key === 'End') show(last)
    else if (event.key === 'Enter') {
      const second = plot.data[0][at]
      if (second !== undefined) options().onPick?.(second)
    } else if (event.key === 'Escape') plot.setCursor({ left: -10, top: -10 })
    else return
    event.preventDefault()
  }
  stage.addEventListener('keydown', press)
  return () => stage.removeEventListener('keydown', press)
}
