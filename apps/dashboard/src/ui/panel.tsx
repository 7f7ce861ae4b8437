import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './ui.module.css'

interface PanelProps {
  readonly title?: ReactNode
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly label?: string
  /** What a link names after `#`: the panel comes into sight when it is there. */
  readonly id?: string
}

export const Panel = ({ title, hint, actions, children, label, id }: PanelProps) => (
  <section
    id={id}
    ref={useSought(id)}
    className={classes.panel}
    aria-label={label ?? (typeof title === 'string' ? title : undefined)}
    tabIndex={id === undefined ? undefined : -1}
  >
    {(title !== undefined || actions !== undefined) && (
      <div className={classes.panelHead}>
        <div className={classes.panelText}>
          {title !== undefined && <h2 className={classes.panelTitle}>{title}</h2>}
          {hint !== undefined && <p className={classes.hint}>{hint}</p>}
        </div>
        {actions}
      </div>
    )}
    {children}
  </section>
)

/** Scrolls to the panel, and puts the keyboard there, when the address names it: also one that comes later than the page. */
const useSought = (id: string | undefined) => {
  const element = useRef<HTMLElement>(null)
  const hash = useLocation({ select: (location) => location.hash })
  useEffect(() => {
    if (id === undefined || hash !== id) return
    element.current?.scrollIntoView({ block: 'start' })
    element.current?.focus({ preventScroll: true })
  }, [id, hash])
  return element
}

/** The page's one heading, what it belongs to, and what can be done. */
export const PageHead = ({ title, sub, children }: { title: ReactNode; sub?: ReactNode; children?: ReactNode }) => (
  <header className={classes.head}>
    <div>
      <h1 className={classes.heading}>{title}</h1>
      {sub !== undefined && <div className={classes.hint}>{sub}</div>}
    </div>
    {children}
  </header>
)
