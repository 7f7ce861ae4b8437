import { IconCircleCheck, IconFilter, IconFlame, IconVolumeOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Verdict, VerdictWord } from '@weir/api'
import type { ReactNode } from 'react'
import { type Target, VERDICT_TITLES, verdictClauses } from '../outcomes/verdict-words.ts'
import { State, type Tone } from './state.tsx'
import classes from './verdict.module.css'

const LOOKS: Readonly<Record<VerdictWord, readonly [Tone, ReactNode]>> = {
  collapse: ['bad', <IconFlame key="i" size={17} />],
  silent: ['warn', <IconVolumeOff key="i" size={17} />],
  shedding: ['warn', <IconFilter key="i" size={17} />],
  healthy: ['good', <IconCircleCheck key="i" size={17} />],
}

export const VerdictState = ({ verdict }: { verdict: VerdictWord }) => {
  const [tone, icon] = LOOKS[verdict]
  return (
    <State tone={tone} icon={icon}>
      {VERDICT_TITLES[verdict]}
    </State>
  )
}

/** Why, whose, under which revision: each leads to what shows it. */
export const Why = ({ verdict }: { verdict: Verdict }) => {
  const clauses = verdictClauses(verdict)
  if (clauses.length === 0) return null
  const { environment, name } = verdict.service
  return (
    <ul className={classes.why}>
      {clauses.map(({ text, target }) => (
        <li key={text}>
          <Leads environment={environment} service={name} target={target}>
            {text}
          </Leads>
        </li>
      ))}
    </ul>
  )
}

interface LeadsProps {
  readonly environment: string
  readonly service: string
  readonly target: Target
  readonly children: ReactNode
}

const Leads = ({ environment, service, target, children }: LeadsProps) => {
  const params = { environment, service }
  if (target.kind === 'history')
    return (
      <Link to="/e/$environment/s/$service/history" params={params}>
        {children}
      </Link>
    )
  if (target.kind === 'agents')
    return (
      <Link to="/e/$environment/s/$service/agents" params={params} search={{ show: 'refused' }}>
        {children}
      </Link>
    )
  if (target.kind === 'dependency')
    return (
      <Link to="/e/$environment/s/$service/dependencies/$dependency" params={{ ...params, dependency: target.name }}>
        {children}
      </Link>
    )
  const search = target.kind === 'class' || target.kind === 'tenant' ? { by: target.kind } : {}
  return (
    <Link to="/e/$environment/s/$service" params={params} search={search} hash="why">
      {children}
    </Link>
  )
}
