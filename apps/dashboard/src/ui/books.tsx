import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { forget, onNextFrame } from '../charts/frame.ts'
import { count, share } from '../format/numbers.ts'
import type { Board } from '../outcomes/board.ts'
import { type Account, type Equation, WORK_ACCOUNT } from '../outcomes/books.ts'
import classes from './books.module.css'

interface BooksProps {
  readonly board: Board
  readonly line: string
  readonly bounds: () => readonly [number, number]
  readonly account?: Account
}

/** How the parts are drawn: goodput in the accent, everything else that is lost in the tone of its line. */
const TONES: Readonly<Record<string, string>> = {
  goodput: 'completed',
  completed: 'completed',
  ignored: 'c8',
  late: 'late',
  failed: 'failed',
  cancelled: 'c8',
  abandoned: 'c6',
  shed: 'shed',
  expired: 'expired',
  deferred: 'accepted',
  underWay: 'limit',
}

const read = ({ board, line, bounds, account }: Required<BooksProps>): Equation | null => {
  const timeline = board.line(line)
  if (timeline === undefined || timeline.latest === 0) return null
  const [from, to] = bounds()
  const named = (names: readonly string[], of: (name: string) => number) =>
    Object.fromEntries(names.map((name) => [name, of(name)]))
  return account.of(
    named(account.counters, (name) => timeline.sum(name, from, to) ?? 0),
    named(account.gauges, (name) => Math.round(timeline.change(name, from, to))),
  )
}

const write = (root: HTMLElement, equation: Equation | null): void => {
  root.dataset.known = String(equation !== null)
  if (equation === null) return
  root.dataset.balanced = String(equation.balanced)
  const set = (name: string, text: string) => {
    const cell = root.querySelector(`[data-term="${name}"]`)
    if (cell !== null && cell.textContent !== text) cell.textContent = text
  }
  const { whole, terms, difference } = equation
  set(whole.figure, count(whole.value))
  set('difference', count(difference))
  for (const { figure, label, value } of terms) {
    const part = whole.value > 0 ? Math.max(0, value) / whole.value : 0
    set(figure, count(Math.abs(value)))
    set(`${figure} sign`, value < 0 ? '−' : '+')
    set(`${figure} label`, label)
    set(`${figure} share`, value === 0 ? '' : share(part))
    const bar = root.querySelector<HTMLElement>(`[data-bar="${figure}"]`)
    if (bar !== null) bar.style.flexGrow = String(part)
    const term = root.querySelector<HTMLElement>(`[data-row="${figure}"]`)
    if (term !== null) term.dataset.none = String(value === 0)
  }
}

/** Where the offered work of the time shown went, so that everybody can see that nothing is left out. Written at animation frames. */
export const Books = ({ board, line, bounds, account = WORK_ACCOUNT }: BooksProps) => {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const draw = () => {
      if (root.current !== null) write(root.current, read({ board, line, bounds, account }))
    }
    const ask = () => onNextFrame(draw)
    ask()
    const leave = board.subscribe(ask)
    return () => {
      leave()
      forget(draw)
    }
  }, [board, line, bounds, account])
  const { whole, terms } = account.of({}, {})
  return (
    <div className={classes.books} ref={root} data-known="false">
      <div className={classes.bar} aria-hidden="true">
        {terms.map(({ figure }) => (
          <span key={figure} data-bar={figure} style={{ background: `var(--w-${TONES[figure]})`, flexGrow: 0 }} />
        ))}
      </div>
      <div className={classes.sum}>
        <span className={classes.term}>
          <span className={classes.words}>{whole.label}</span>
          <b data-term={whole.figure}>0</b>
        </span>
        {terms.map(({ figure, label }, index) => (
          <span className={classes.term} key={figure} data-row={figure}>
            <span className={classes.words}>
              <span className={classes.tone} style={{ background: `var(--w-${TONES[figure]})` }} aria-hidden="true" />
              <span data-term={`${figure} label`}>{label}</span>
            </span>
            <span className={classes.figure}>
              <span className={classes.sign} data-term={index === 0 ? undefined : `${figure} sign`}>
                {index === 0 ? '=' : '+'}
              </span>{' '}
              <b data-term={figure}>0</b>
            </span>
            <span className={classes.share} data-term={`${figure} share`} />
          </span>
        ))}
        <span className={classes.yes}>
          <IconCircleCheck size={16} /> adds up
        </span>
        <span className={classes.no}>
          <IconInfoCircle size={16} /> <b data-term="difference">0</b> not booked yet
        </span>
      </div>
    </div>
  )
}
