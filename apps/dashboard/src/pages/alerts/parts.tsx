import { IconBell, IconBellRinging, IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Alert, Severity } from '@weir/api'
import { ALERT_TEXTS } from '@weir/api/alert-texts'
import type { ReactNode } from 'react'
import { milliseconds, share } from '../../format/numbers.ts'
import { State, type Tone } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'

const SEVERITIES: Readonly<
  Record<Severity, { readonly tone: Tone; readonly label: string; readonly icon: ReactNode }>
> = {
  page: { tone: 'bad', label: 'Page', icon: <IconBellRinging size={15} /> },
  ticket: { tone: 'warn', label: 'Ticket', icon: <IconBell size={15} /> },
  info: { tone: 'dim', label: 'Info', icon: <IconInfoCircle size={15} /> },
}

/** How loud an alert is, in a word with an icon of its own. */
export const SeverityState = ({ severity }: { severity: Severity }) => {
  const { tone, label, icon } = SEVERITIES[severity]
  return (
    <State tone={tone} icon={icon}>
      {label}
    </State>
  )
}

const RANK: Readonly<Record<Severity, number>> = { page: 0, ticket: 1, info: 2 }
/** What wakes somebody first, then the newest. */
export const byWeight = (a: Alert, b: Alert): number =>
  RANK[a.severity] - RANK[b.severity] || (a.raisedAt < b.raisedAt ? 1 : -1)

export const asFigure = ({ rule }: Alert, value: number): string =>
  ALERT_TEXTS[rule].unit === 'ms' ? milliseconds(value) : share(value)

/** The rule's name, and what it is about where that is not the whole service. */
export const AlertName = ({ alert }: { alert: Alert }) => (
  <>
    <b>{ALERT_TEXTS[alert.rule].title}</b>
    {alert.subject !== '' && (
      <>
        {' '}
        of {ALERT_TEXTS[alert.rule].about} <code>{alert.subject}</code>
      </>
    )}
  </>
)

const MARGIN_MS = 300_000

/** The page that shows it, at the time when it was. */
export const FiguresLink = ({
  alert,
  environment,
  children,
}: {
  alert: Alert
  environment: string
  children: ReactNode
}) => {
  const from = Date.parse(alert.raisedAt) - MARGIN_MS - alert.forSeconds * 1_000
  const to = alert.resolvedAt === null ? Date.now() : Date.parse(alert.resolvedAt) + MARGIN_MS
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const { about } = ALERT_TEXTS[alert.rule]
  const params = { environment, service: alert.service }
  if (about === 'service')
    return (
      <Link to="/e/$environment/s/$service/agents" params={params} className={ui.link}>
        {children}
      </Link>
    )
  if (about === 'gate' && alert.subject !== '')
    return (
      <Link
        to="/e/$environment/s/$service/gates/$gate"
        params={{ ...params, gate: alert.subject }}
        search={range}
        className={ui.link}
      >
        {children}
      </Link>
    )
  if (about === 'dependency' && alert.subject !== '')
    return (
      <Link
        to="/e/$environment/s/$service/dependencies/$dependency"
        params={{ ...params, dependency: alert.subject }}
        search={range}
        className={ui.link}
      >
        {children}
      </Link>
    )
  return (
    <Link to="/e/$environment/s/$service" params={params} search={range} className={ui.link}>
      {children}
    </Link>
  )
}
