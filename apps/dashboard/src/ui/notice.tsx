import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { State } from './state.tsx'
import classes from './ui.module.css'

/** What a reader of the panel has to know before its figures. */
export const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className={classes.notice}>
    <State tone="warn" icon={<IconAlertTriangle size={16} />}>
      {title}
    </State>
    <span>{children}</span>
  </div>
)
