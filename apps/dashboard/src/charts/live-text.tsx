import { useEffect, useRef } from 'react'
import { NOTHING } from '../format/numbers.ts'
import type { Board } from '../outcomes/board.ts'
import { forget, onNextFrame } from './frame.ts'

interface LiveTextProps {
  readonly board: Board
  /** A second board that the text reads. */
  readonly also?: Board
  readonly text: () => string
  readonly className?: string | undefined
}

/** A figure that follows the board: its text is written at animation frames, no component is rendered again. */
export const LiveText = ({ board, also, text, className }: LiveTextProps) => {
  const element = useRef<HTMLSpanElement>(null)
  const latest = useRef(text)
  latest.current = text
  useEffect(() => {
    const write = () => {
      const now = latest.current()
      if (element.current !== null && element.current.textContent !== now) element.current.textContent = now
    }
    const ask = () => onNextFrame(write)
    ask()
    const leave = board.subscribe(ask)
    const leaveAlso = also?.subscribe(ask)
    return () => {
      leave()
      leaveAlso?.()
      forget(write)
    }
  }, [board, also])
  return (
    <span ref={element} className={className}>
      {NOTHING}
    </span>
  )
}
