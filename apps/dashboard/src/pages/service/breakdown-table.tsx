import { Fragment } from 'react'
import type { Breakdown } from '../../app/search.ts'
import { LiveText } from '../../charts/live-text.tsx'
import { count, share } from '../../format/numbers.ts'
import type { Board } from '../../outcomes/board.ts'
import { lossShare } from '../../outcomes/books.ts'
import { reasonTitle } from '../../outcomes/reasons.ts'
import ui from '../../ui/ui.module.css'
import type { Stage } from './stage.ts'

export const BY_TITLES: Record<Breakdown, string> = {
  reason: 'Reason',
  class: 'Class',
  tenant: 'Tenant',
  revision: 'Revision',
}

export const totalOf = (
  board: Board,
  name: string,
  bounds: () => readonly [number, number],
  figure: string,
): number => {
  const [from, to] = bounds()
  return board.line(name)?.sum(figure, from, to) ?? 0
}

const COLUMNS = ['offered', 'accepted', 'shed', 'expired', 'completed'] as const
const REASON_COLUMNS = ['shed', 'expired'] as const
const CALL_COLUMNS = ['shed'] as const

/** The same in figures, over the time shown. */
export const BreakdownTable = ({ stage, by, labels }: { stage: Stage; by: Breakdown; labels: readonly string[] }) => {
  const refusals = stage.subject?.kind === 'dependency' ? CALL_COLUMNS : REASON_COLUMNS
  const columns = by === 'reason' ? refusals : COLUMNS
  if (labels.length === 0)
    return (
      <p className={ui.hint}>
        {by === 'reason' ? 'Nothing was refused in this time.' : 'No work was heard of in this time.'}
      </p>
    )
  const cell = (label: string, text: (sum: (figure: string) => number) => string) => (
    <td className={ui.number}>
      <LiveText
        board={stage.board}
        text={() => text((figure) => totalOf(stage.board, `${by}:${label}`, stage.bounds, figure))}
      />
    </td>
  )
  return (
    <div className={ui.scroll}>
      <table className={ui.table}>
        <thead>
          <tr>
            <th scope="col">{BY_TITLES[by]}</th>
            {columns.map((column) => (
              <th scope="col" key={column} className={ui.number}>
                {column}
              </th>
            ))}
            {by !== 'reason' && (
              <th scope="col" className={ui.number}>
                refused
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {labels.slice(0, 50).map((label) => (
            <tr key={label}>
              <td>
                {by === 'reason' ? (
                  <>
                    {reasonTitle(label)} <code className={ui.dim}>{label}</code>
                  </>
                ) : (
                  label
                )}
              </td>
              {columns.map((column) => (
                <Fragment key={column}>{cell(label, (sum) => count(sum(column)))}</Fragment>
              ))}
              {by !== 'reason' &&
                cell(label, (sum) =>
                  share(lossShare({ offered: sum('offered'), shed: sum('shed'), expired: sum('expired') })),
                )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
