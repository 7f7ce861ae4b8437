import { IconBell, IconBellOff, IconUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Annotation } from '@weir/api'
import { moment } from '../format/times.ts'
import classes from './happened.module.css'
import ui from './ui.module.css'

const ICONS = { published: IconUpload, 'alert-raised': IconBell, 'alert-resolved': IconBellOff } as const
const MOST = 5

interface HappenedProps {
  readonly environment: string
  readonly annotations: readonly Annotation[]
  /** Names the service of each. */
  readonly withService?: boolean
}

/** The marks of the charts in words, the newest first. */
export const Happened = ({ environment, annotations, withService = false }: HappenedProps) => {
  if (annotations.length === 0) return null
  return (
    <ul className={classes.list} aria-label="Happened in this time">
      {annotations.slice(0, MOST).map((one) => (
        <One key={`${one.at} ${one.service} ${one.detail}`} {...{ one, environment, withService }} />
      ))}
      {annotations.length > MOST && <li className={ui.dim}>and {annotations.length - MOST} earlier</li>}
    </ul>
  )
}

const One = ({ one, environment, withService }: { one: Annotation; environment: string; withService: boolean }) => {
  const Icon = ICONS[one.kind]
  const params = { environment, service: one.service }
  const words = (
    <>
      {withService && `${one.service} `}
      {one.label}
    </>
  )
  return (
    <li>
      <Icon size={14} aria-hidden="true" />
      {one.kind === 'published' ? (
        <Link to="/e/$environment/s/$service/history" params={params} className={ui.link}>
          {words}
        </Link>
      ) : (
        <Link to="/e/$environment/alerts" params={params} className={ui.link}>
          {words}
        </Link>
      )}
      <span className={ui.dim}>{moment(one.at)}</span>
      <span>{one.detail}</span>
    </li>
  )
}
