import type { Verdicts } from '@weir/api'
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

/** `known` is `undefined` until it was read. What somebody who was just woken needs: does the work get done, is work refused, do the agents follow, does an alert fire. */
export const Headline = ({ board, known }: { board: Board; known: Verdicts | undefined }) => {
  const hub = useHub()
  const { refused = 0, applied = 0, live = 0 } = known?.agents ?? {}
  const alerts = known?.openAlerts ?? 0
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
        sub={`of ${plural(live, 'live agent')}${refused > 0 ? `, ${count(refused)} refused part of it` : ''}`}
      >
        {known === undefined ? NOTHING : count(applied)}
      </Tile>
      <Tile
        label="Alerts firing"
        sub={known === undefined ? 'being read' : alerts === 0 ? 'none' : plural(known.alerting, 'service')}
      >
        {known === undefined ? NOTHING : count(alerts)}
      </Tile>
    </dl>
  )
}
