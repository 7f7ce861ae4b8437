import type { ReactNode } from 'react'
import { Logo } from '../../app/logo.tsx'
import { ThemeToggle } from '../../app/theme-toggle.tsx'
import classes from './door.module.css'

/** What is seen before one is signed in. */
export const Door = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className={classes.room}>
    <main className={classes.door}>
      <div className={classes.top}>
        <span className={classes.brand}>
          <Logo size={30} />
          Weir
        </span>
        <ThemeToggle />
      </div>
      <h1 className={classes.title}>{title}</h1>
      {children}
    </main>
  </div>
)
