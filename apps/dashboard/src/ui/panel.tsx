import type { ReactNode } from 'react'
import classes from './ui.module.css'

interface PanelProps {
  readonly title?: ReactNode
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly label?: string
}

export const Panel = ({ title, hint, actions, children, label }: PanelProps) => (
  <section className={classes.panel} aria-label={label ?? (typeof title === 'string' ? title : undefined)}>
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
