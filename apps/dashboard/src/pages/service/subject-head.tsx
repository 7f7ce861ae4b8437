import { NativeSelect } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FiguresSearch } from '../../app/search.ts'
import type { Subject } from '../../outcomes/subject.ts'
import { Empty } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import classes from './service.module.css'

interface SubjectHeadProps {
  readonly environment: string
  readonly service: string
  readonly subject: Subject
  /** All that there are beside it. */
  readonly names: readonly string[]
  readonly search: FiguresSearch
  readonly children?: ReactNode
}

/** The name, how it stands, and the way to the others of its kind over the same time. */
export const SubjectHead = ({
  environment,
  service,
  subject: { kind, name },
  names,
  search,
  children,
}: SubjectHeadProps) => {
  const navigate = useNavigate()
  const go = (other: string) => {
    const { at: _, why: __, ...kept } = search
    const params = { environment, service }
    void (kind === 'gate'
      ? navigate({ to: '/e/$environment/s/$service/gates/$gate', params: { ...params, gate: other }, search: kept })
      : navigate({
          to: '/e/$environment/s/$service/dependencies/$dependency',
          params: { ...params, dependency: other },
          search: kept,
        }))
  }
  return (
    <header className={classes.subject}>
      <div>
        <h2 className={classes.subjectName}>
          {kind === 'gate' ? 'Gate' : 'Dependency'} {name}
        </h2>
        <div className={ui.tags}>{children}</div>
      </div>
      {names.length > 1 && (
        <NativeSelect
          aria-label={kind === 'gate' ? 'Gate' : 'Dependency'}
          size="xs"
          w={200}
          data={names.includes(name) ? names : [name, ...names]}
          value={name}
          onChange={(event) => go(event.currentTarget.value)}
        />
      )}
    </header>
  )
}

interface UnknownProps extends Pick<SubjectHeadProps, 'environment' | 'service' | 'subject' | 'names'> {}

/** Nobody knows the name: said with those that there are. */
export const UnknownSubject = ({ environment, service, subject: { kind, name }, names }: UnknownProps) => {
  const params = { environment, service }
  const many = kind === 'gate' ? 'gates' : 'dependencies'
  return (
    <Empty
      title={`${service} has no ${kind} called ${name}`}
      action={
        <Link to="/e/$environment/s/$service" params={params} className={ui.link}>
          All figures of {service}
        </Link>
      }
    >
      <p>
        No process reports it, the policy does not name it, and no figures of it came in the last minutes.
        {names.length > 0 && ` The ${many} that there are:`}
      </p>
      <ul className={classes.names}>
        {names.slice(0, 50).map((other) => (
          <li key={other}>
            {kind === 'gate' ? (
              <Link to="/e/$environment/s/$service/gates/$gate" params={{ ...params, gate: other }} className={ui.link}>
                {other}
              </Link>
            ) : (
              <Link
                to="/e/$environment/s/$service/dependencies/$dependency"
                params={{ ...params, dependency: other }}
                className={ui.link}
              >
                {other}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Empty>
  )
}
