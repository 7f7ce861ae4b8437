import type { Alert } from '@weir/api'
import { span } from '../../format/times.ts'
import { type Column, Rows } from '../../ui/rows.tsx'
import { When } from '../../ui/when.tsx'
import { AlertName, asFigure, FiguresLink, SeverityState } from './parts.tsx'

const ROW_PX = 42

const columnsOf = (environment: string): readonly Column<Alert>[] => [
  {
    key: 'severity',
    label: 'Severity',
    track: '96px',
    cell: ({ severity }) => <SeverityState severity={severity} />,
  },
  {
    key: 'service',
    label: 'Service',
    track: 'minmax(120px, 1fr)',
    cell: (alert) => (
      <FiguresLink alert={alert} environment={environment}>
        {alert.service}
      </FiguresLink>
    ),
  },
  {
    key: 'alert',
    label: 'Alert',
    track: 'minmax(220px, 2fr)',
    cell: (alert) => (
      <span title={alert.summary}>
        <AlertName alert={alert} />
      </span>
    ),
  },
  {
    key: 'allowed',
    label: 'Allowed',
    track: '84px',
    number: true,
    cell: (alert) => asFigure(alert, alert.threshold),
  },
  { key: 'worst', label: 'Worst', track: '84px', number: true, cell: (alert) => asFigure(alert, alert.worst) },
  { key: 'raised', label: 'Raised', track: '150px', cell: ({ raisedAt }) => <When time={raisedAt} /> },
  {
    key: 'lasted',
    label: 'Lasted',
    track: '92px',
    number: true,
    cell: ({ raisedAt, resolvedAt }) => span(Date.parse(resolvedAt ?? raisedAt) - Date.parse(raisedAt)),
  },
]

interface ResolvedProps {
  readonly alerts: readonly Alert[]
  readonly environment: string
  /** The oldest one that is known comes into sight. */
  readonly onEnd: () => void
}

export const Resolved = ({ alerts, environment, onEnd }: ResolvedProps) => (
  <Rows
    label="Alerts that were resolved"
    columns={columnsOf(environment)}
    rows={alerts}
    keyOf={({ id }) => id}
    rowHeight={ROW_PX}
    minWidth={860}
    onSight={(_, last) => {
      if (last >= alerts.length - 1) onEnd()
    }}
    stacks
  />
)
