import type { Alert } from '@weir/api'
import { span } from '../../format/times.ts'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { AlertName, asFigure, FiguresLink, SeverityState } from './parts.tsx'

export const Resolved = ({ alerts, environment }: { alerts: readonly Alert[]; environment: string }) => (
  <div className={ui.scroll}>
    <table className={ui.table} aria-label="Alerts that were resolved" style={{ minWidth: 820 }}>
      <thead>
        <tr>
          <th scope="col">Severity</th>
          <th scope="col">Service</th>
          <th scope="col">Alert</th>
          <th scope="col" className={ui.number}>
            Allowed
          </th>
          <th scope="col" className={ui.number}>
            Worst
          </th>
          <th scope="col">Raised</th>
          <th scope="col" className={ui.number}>
            Lasted
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.id}>
            <td>
              <SeverityState severity={alert.severity} />
            </td>
            <td>
              <FiguresLink alert={alert} environment={environment}>
                {alert.service}
              </FiguresLink>
            </td>
            <td title={alert.summary}>
              <AlertName alert={alert} />
            </td>
            <td className={ui.number}>{asFigure(alert, alert.threshold)}</td>
            <td className={ui.number}>{asFigure(alert, alert.worst)}</td>
            <td>
              <When time={alert.raisedAt} />
            </td>
            <td className={ui.number}>
              {span(Date.parse(alert.resolvedAt ?? alert.raisedAt) - Date.parse(alert.raisedAt))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
