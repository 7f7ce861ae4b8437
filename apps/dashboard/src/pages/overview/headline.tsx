import type { Service } from '@weir/api'
import type { ReactNode } from 'react'
import { useHub } from '../../app/live.tsx'
import { LiveText } from '../../charts/live-text.tsx'
import { count, NOTHING, plural, rate, share } from '../../format/numbers.ts'
import type { Board } from '../../outcomes/board.ts'
import { goodput, lossShare } from '../../outcomes/books.ts'
import { RECENT_SECONDS, recentFigures } from '../../outcomes/recent.ts'
import classes from './overview.module.css'

const Tile = ({ label, children, sub }: { label: string; children: ReactNode; sub?: ReactNode }) => (
  <div className={classes.tile}>
    <dt className={classes.tileLabel}>{label}</dt>
    <dd className={classes.tileValue}>{children}</dd>
    {sub !== undefined && <dd className={classes.tileSub}>{sub}</dd>}
  </div>
)

/** `services` is `undefined` until they were read. What somebody who was just woken needs: does the work get done, is work refused, do the agents follow, does an alert fire. */
export const Headline = ({ board, services }: { board: Board; services: readonly Service[] | undefined }) => {
  const hub = useHub()
  const known = services ?? []
  const live = known.reduce((sum, service) => sum + service.agents.live, 0)
  const applied = known.reduce((sum, service) => sum + service.agents.applied, 0)
  const refused = known.reduce((sum, service) => sum + service.agents.refused, 0)
  const alerts = known.reduce((sum, service) => sum + service.openAlerts, 0)
  const recent = (read: (figures: Record<string, number>, seconds: number) => string) => () => {
    const { figures, seconds } = recentFigures(board, 'fleet', RECENT_SECONDS, hub.serverSecond)
    return seconds === 0 ? '–' : read(figures, seconds)
  }
  return (
    <dl className={classes.tiles} aria-label={`Averages of the last ${RECENT_SECONDS} seconds`}>
      <Tile label="Goodput" sub="completed in time">
        <LiveText board={board} text={recent((f, s) => rate(goodput(f) / s))} />
      </Tile>
      <Tile label="Offered" sub="work that arrived">
        <LiveText board={board} text={recent((f, s) => rate((f.offered ?? 0) / s))} />
      </Tile>
      <Tile label="Refused" sub="shed or expired, of offered">
        <LiveText board={board} text={recent((f) => share(lossShare(f) ?? 0))} />
      </Tile>
      <Tile
        label="Policy applied"
        sub={refused > 0 ? `${plural(refused, 'agent')} refused part of it` : 'of live agents'}
      >
        {services === undefined ? NOTHING : `${count(applied)} of ${count(live)}`}
      </Tile>
      <Tile
        label="Alerts firing"
        sub={
          services === undefined
            ? 'being read'
            : alerts === 0
              ? 'none'
              : plural(known.filter((s) => s.openAlerts > 0).length, 'service')
        }
      >
        {services === undefined ? NOTHING : count(alerts)}
      </Tile>
    </dl>
  )
}
