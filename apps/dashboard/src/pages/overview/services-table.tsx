import { IconAlertTriangle, IconBell, IconCheck, IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Service } from '@weir/api'
import { useMemo } from 'react'
import { useHub } from '../../app/live.tsx'
import { LiveText } from '../../charts/live-text.tsx'
import { Spark } from '../../charts/spark.tsx'
import { rate, share } from '../../format/numbers.ts'
import { type Board, overviewSplitter } from '../../outcomes/board.ts'
import { goodput, lossShare } from '../../outcomes/books.ts'
import type { Range } from '../../outcomes/range.ts'
import { recentFigures } from '../../outcomes/recent.ts'
import { useBoard, useBounds, useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import classes from './overview.module.css'

/** The minute that the figures of a row are averaged over, second by second from the live socket. */
const MINUTE: Range = { live: true, name: '15m', seconds: 60 }
const QUARTER: Range = { live: true, name: '15m', seconds: 900 }
const SPARK_STEP = 10

export const ServicesTable = ({ environment, services }: { environment: string; services: readonly Service[] }) => {
  const split = useMemo(() => overviewSplitter(() => false), [])
  const live = useBoard(`services ${environment}`, MINUTE, 1, split)
  const past = useBoard(`sparks ${environment}`, QUARTER, SPARK_STEP, NOTHING_LIVE)
  const history = useOutcomes(environment, { groupBy: 'service', step: SPARK_STEP }, QUARTER, { again: true })
  useFill(past, history.data, (label) => `service:${label}`)
  const bounds = useBounds(QUARTER)
  return (
    <div className={ui.scroll}>
      <table className={`${ui.table} ${classes.services}`}>
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col" className={classes.sparkCell}>
              15 minutes
            </th>
            <th scope="col" className={ui.number}>
              Goodput
            </th>
            <th scope="col" className={ui.number}>
              Offered
            </th>
            <th scope="col" className={ui.number}>
              Refused
            </th>
            <th scope="col">Policy</th>
            <th scope="col">Agents</th>
            <th scope="col">Alerts</th>
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <Row key={service.name} service={service} live={live} past={past} bounds={bounds} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The line of a row comes from history alone. */
const NOTHING_LIVE = () => []

interface RowProps {
  readonly service: Service
  readonly live: Board
  readonly past: Board
  readonly bounds: () => readonly [number, number]
}

const Row = ({ service, live, past, bounds }: RowProps) => {
  const hub = useHub()
  const line = `service:${service.name}`
  const text = (read: (figures: Record<string, number>, seconds: number) => string) => () => {
    const now = recentFigures(live, line, 60, hub.serverSecond)
    const { figures, seconds } = now.seconds > 0 ? now : recentFigures(past, line, 60, hub.serverSecond)
    return seconds === 0 ? '–' : read(figures, seconds)
  }
  const cell = (read: (figures: Record<string, number>, seconds: number) => string) => (
    <td className={ui.number}>
      <LiveText board={live} also={past} text={text(read)} />
    </td>
  )
  return (
    <tr>
      <td>
        <Link to="/e/$environment/s/$service" params={{ environment: service.environment, service: service.name }}>
          {service.name}
        </Link>
      </td>
      <td className={classes.sparkCell}>
        <Spark board={past} line={line} bounds={bounds} />
      </td>
      {cell((f, s) => rate(goodput(f) / s))}
      {cell((f, s) => rate((f.offered ?? 0) / s))}
      {cell((f) => share(lossShare(f) ?? 0))}
      <td>
        {service.policyVersion === 0 ? (
          <span className={ui.dim}>none</span>
        ) : (
          <span className={classes.version}>version {service.policyVersion}</span>
        )}
      </td>
      <td>
        <AgentsState agents={service.agents} />
      </td>
      <td>
        {service.openAlerts === 0 ? (
          <span className={ui.dim}>none</span>
        ) : (
          <State tone="warn" icon={<IconBell size={15} />}>
            {service.openAlerts} firing
          </State>
        )}
      </td>
    </tr>
  )
}

/** Applied of live; what is refused or pending is said in words. "Published" is never shown as "applied". */
export const AgentsState = ({ agents }: { agents: Service['agents'] }) => {
  if (agents.live === 0) return <span className={ui.dim}>none live</span>
  const sum = `${agents.applied} of ${agents.live} applied`
  if (agents.refused > 0)
    return (
      <State tone="bad" icon={<IconAlertTriangle size={15} />}>
        {sum}, {agents.refused} refused part of it
      </State>
    )
  if (agents.applied < agents.live)
    return (
      <State tone="warn" icon={<IconClock size={15} />}>
        {sum}
        {agents.pending > 0 && `, ${agents.pending} pending`}
      </State>
    )
  return (
    <State tone="good" icon={<IconCheck size={15} />}>
      {sum}
    </State>
  )
}
