import { IconBell, IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Alert } from '@weir/api'
import { alertsQuery } from '../../api/queries.ts'
import { share } from '../../format/numbers.ts'
import { span } from '../../format/times.ts'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { State } from '../../ui/state.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { useNow, When } from '../../ui/when.tsx'
import { Rules } from './rules.tsx'

export const Alerts = () => {
  const { environment } = useParams({ from: '/app/e/$environment/alerts' })
  const firing = useQuery(alertsQuery(environment, null, 'firing'))
  const resolved = useQuery(alertsQuery(environment, null, 'resolved'))
  return (
    <>
      <PageHead title="Alerts" sub="A service that goes on refusing a large share of its work" />
      <Panel title="Firing">
        <Ready query={firing}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No alert is firing">
                <p>
                  An alert fires when the refused share of a service's work stays above its threshold for long enough.
                </p>
              </Empty>
            ) : (
              <Table alerts={items} environment={environment} caption="Alerts that are firing" />
            )
          }
        </Ready>
      </Panel>
      <Panel title="Resolved" hint="The newest first">
        <Ready query={resolved}>
          {({ items, next }) =>
            items.length === 0 ? (
              <p className={ui.hint}>None yet.</p>
            ) : (
              <>
                <Table alerts={items} environment={environment} caption="Alerts that were resolved" />
                {next !== null && <p className={ui.hint}>Only the newest {items.length} are shown.</p>}
              </>
            )
          }
        </Ready>
      </Panel>
      <Rules environment={environment} />
    </>
  )
}

const Table = ({
  alerts,
  environment,
  caption,
}: {
  alerts: readonly Alert[]
  environment: string
  caption: string
}) => (
  <div className={ui.scroll}>
    <table className={ui.table} aria-label={caption} style={{ minWidth: 760 }}>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Service</th>
          <th scope="col">Rule</th>
          <th scope="col" className={ui.number}>
            Share when raised
          </th>
          <th scope="col" className={ui.number}>
            Largest
          </th>
          <th scope="col">Raised</th>
          <th scope="col" className={ui.number}>
            Lasted
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <Row key={alert.id} alert={alert} environment={environment} />
        ))}
      </tbody>
    </table>
  </div>
)

const Row = ({ alert, environment }: { alert: Alert; environment: string }) => {
  const now = useNow()
  const raised = Date.parse(alert.raisedAt)
  const ended = alert.resolvedAt === null ? now : Date.parse(alert.resolvedAt)
  return (
    <tr>
      <td>
        {alert.state === 'firing' ? (
          <State tone="warn" icon={<IconBell size={15} />}>
            Firing
          </State>
        ) : (
          <State tone="good" icon={<IconCheck size={15} />}>
            Resolved
          </State>
        )}
      </td>
      <td>
        <Link
          to="/e/$environment/s/$service"
          params={{ environment, service: alert.service }}
          search={around(raised, ended, alert.resolvedAt !== null)}
        >
          {alert.service}
        </Link>
      </td>
      <td>
        Sustained shedding: above {share(alert.threshold)} for {span(alert.forSeconds * 1000)}
      </td>
      <td className={ui.number}>{share(alert.share)}</td>
      <td className={ui.number}>{share(alert.peakShare)}</td>
      <td>
        <When time={alert.raisedAt} />
      </td>
      <td className={ui.number}>{span(ended - raised)}</td>
    </tr>
  )
}

const MARGIN_MS = 300_000

/** The time of a resolved alert with some margin; a firing one is looked at live. */
const around = (from: number, to: number, ended: boolean): { from?: string; to?: string } =>
  ended ? { from: new Date(from - MARGIN_MS).toISOString(), to: new Date(to + MARGIN_MS).toISOString() } : {}
