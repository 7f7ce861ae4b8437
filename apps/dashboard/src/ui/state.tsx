import type { ReactNode } from 'react'
import classes from './ui.module.css'

export type Tone = 'good' | 'warn' | 'bad' | 'dim'

/** A state in words with an icon: colour only underlines what both already say. */
export const State = ({
  tone,
  icon,
  children,
  title,
}: {
  tone: Tone
  icon: ReactNode
  children: ReactNode
  title?: string
}) => (
  <span className={`${classes.state} ${classes[tone]}`} title={title}>
    {icon}
    {children}
  </span>
)
