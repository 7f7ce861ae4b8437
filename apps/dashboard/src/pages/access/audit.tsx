import type { Audit } from '@weir/api'
import { moment } from '../../format/times.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { More, usePages } from './parts.tsx'

export const AuditLog = () => {
  const query = usePages<Audit>(['audit'])
  return (
    <Panel title="Audit" hint="What was changed and what was refused, the newest first.">
      <Ready query={query}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items)
          return entries.length === 0 ? <Empty title="Nothing was recorded yet" /> : <AuditTable entries={entries} />
        }}
      </Ready>
      <More query={query} />
    </Panel>
  )
}

const detailOf = (detail: Audit['detail']): string =>
  Object.entries(detail)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const AuditTable = ({ entries }: { entries: readonly Audit[] }) => (
  <div className={ui.scroll}>
    <table className={ui.table} style={{ minWidth: 820 }}>
      <Heads labels={['When', 'Who', 'What', 'Where', 'Detail']} />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td style={{ whiteSpace: 'nowrap' }}>{moment(entry.at)}</td>
            <td>{entry.actor}</td>
            <td>
              <code>{entry.action}</code>
            </td>
            <td>{[entry.environment, entry.service, entry.target].filter((part) => part !== null).join(' / ')}</td>
            <td className={ui.dim} style={{ overflowWrap: 'anywhere' }}>
              {detailOf(entry.detail)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
