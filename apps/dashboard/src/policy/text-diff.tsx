import { useMemo } from 'react'
import { type DiffLine, lineDiff } from './line-diff.ts'
import classes from './policy.module.css'

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', removed: '-', added: '+' }

/** Two texts as one list of lines: minus was, plus is. */
export const TextDiff = ({ before, after, label }: { before: string; after: string; label: string }) => {
  const lines = useMemo(() => lineDiff(before, after).map((line, row) => ({ ...line, row })), [before, after])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.diff} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text, row }) => (
        <span key={row} className={classes.diffLine} data-kind={kind}>
          {SIGNS[kind]} {text}
          {'\n'}
        </span>
      ))}
    </section>
  )
}
