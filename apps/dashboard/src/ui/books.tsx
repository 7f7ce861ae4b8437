import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { forget, onNextFrame } from '../charts/frame.ts'
import { count } from '../format/numbers.ts'
import type { Board } from '../outcomes/board.ts'
import { arrivals, type Equation, endings } from '../outcomes/books.ts'
import classes from './books.module.css'

interface BooksProps {
  readonly board: Board
  readonly line: string
  readonly bounds: () => readonly [number, number]
}

const COUNTERS = [
  'offered',
  'accepted',
  'shed',
  'expired',
  'cancelledWaiting',
  'completed',
  'late',
  'failed',
  'cancelled',
  'abandoned',
]

const read = ({ board, line, bounds }: BooksProps): [Equation, Equation] | null => {
  const timeline = board.line(line)
  if (timeline === undefined || timeline.latest === 0) return null
  const [from, to] = bounds()
  const totals: Record<string, number> = {}
  for (const name of COUNTERS) totals[name] = timeline.sum(name, from, to) ?? 0
  const change = (name: string): number => {
    let first: number | null = null
    let last: number | null = null
    for (let second = from; second < to; second += board.step) {
      const value = timeline.at(second, name)
      first ??= value
      last = value ?? last
    }
    return Math.round((last ?? 0) - (first ?? 0))
  }
  return [
    arrivals(totals, { waiting: change('waiting'), active: 0 }),
    endings(totals, { waiting: 0, active: change('active') }),
  ]
}

const write = (root: HTMLElement, equations: [Equation, Equation] | null): void => {
  root.dataset.known = String(equations !== null)
  if (equations === null) return
  equations.forEach((equation, index) => {
    const row = root.children[index]
    if (!(row instanceof HTMLElement)) return
    row.dataset.balanced = String(equation.balanced)
    const set = (name: string, text: string) => {
      const cell = row.querySelector(`[data-term="${name}"]`)
      if (cell !== null && cell.textContent !== text) cell.textContent = text
    }
    for (const { figure, label, value } of [equation.whole, ...equation.terms]) {
      set(figure, count(Math.abs(value)))
      set(`${figure} label`, label)
      if (figure === 'waiting' || figure === 'active') set(`${figure} sign`, value < 0 ? '−' : '+')
    }
    set('difference', count(equation.difference))
  })
}

/** The books of the time shown, so that everybody can see that nothing is left out. Written at animation frames. */
export const Books = (props: BooksProps) => {
  const root = useRef<HTMLDivElement>(null)
  const { board, line, bounds } = props
  useEffect(() => {
    const draw = () => {
      if (root.current !== null) write(root.current, read({ board, line, bounds }))
    }
    const ask = () => onNextFrame(draw)
    ask()
    const leave = board.subscribe(ask)
    return () => {
      leave()
      forget(draw)
    }
  }, [board, line, bounds])
  return (
    <div className={classes.books} ref={root} data-known="false">
      <Sum equation={arrivals({}, { waiting: 0, active: 0 })} />
      <Sum equation={endings({}, { waiting: 0, active: 0 })} />
    </div>
  )
}

const Sum = ({ equation }: { equation: Equation }) => (
  <p className={classes.sum}>
    <span className={classes.term}>
      <b data-term={equation.whole.figure}>0</b> {equation.whole.label}
    </span>
    {equation.terms.map((part, index) => (
      <span className={classes.term} key={part.figure}>
        <span className={classes.sign} data-term={`${part.figure} sign`}>
          {index === 0 ? '=' : '+'}
        </span>{' '}
        <b data-term={part.figure}>0</b> <span data-term={`${part.figure} label`}>{part.label}</span>
      </span>
    ))}
    <span className={classes.yes}>
      <IconCircleCheck size={15} /> adds up
    </span>
    <span className={classes.no}>
      <IconInfoCircle size={15} /> <b data-term="difference">0</b> not booked yet
    </span>
  </p>
)
