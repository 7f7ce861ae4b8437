import { Button, Modal } from '@mantine/core'
import { IconBellOff, IconCalendarTime, IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Silence } from '@weir/api'
import { useState } from 'react'
import { call, url } from '../../api/client.ts'
import { silencesQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { moment } from '../../format/times.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { State } from '../../ui/state.tsx'
import { Empty, Failure, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { ANY, matchersText } from './matchers.tsx'
import { SilenceForm } from './silence-form.tsx'

/** Silences and maintenance windows: when nobody is told. */
export const SilencesTab = ({ environment }: { environment: string }) => {
  const query = useQuery(silencesQuery(environment))
  const { canEdit } = useRole()
  const [adding, setAdding] = useState(false)
  return (
    <Panel
      title="Silences"
      hint="Alerts are still judged and shown; nobody new is told. One that begins later is a maintenance window."
      actions={
        canEdit && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add a silence
          </Button>
        )
      }
    >
      <Ready query={query}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="There is no silence">
              <p>Silence what a load test or a move will raise, before it does.</p>
            </Empty>
          ) : (
            <>
              <SilencesTable silences={items} environment={environment} canEdit={canEdit} />
              {next !== null && <p className={ui.hint}>Only the {items.length} that end last are shown.</p>}
            </>
          )
        }
      </Ready>
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add a silence">
        {adding && <SilenceForm environment={environment} matchers={ANY} onDone={() => setAdding(false)} />}
      </Modal>
    </Panel>
  )
}

const STATES = {
  active: { tone: 'warn', icon: <IconBellOff size={15} />, label: 'Active' },
  planned: { tone: 'dim', icon: <IconCalendarTime size={15} />, label: 'Planned' },
  ended: { tone: 'dim', icon: <IconCheck size={15} />, label: 'Ended' },
} as const

const SilencesTable = (props: { silences: readonly Silence[]; environment: string; canEdit: boolean }) => (
  <div className={ui.scroll}>
    <table className={ui.table} aria-label="Silences" style={{ minWidth: 860 }}>
      <Heads labels={['State', 'What', 'From', 'To', 'By', 'Reason', ...(props.canEdit ? ['Action'] : [])]} />
      <tbody>
        {props.silences.map((silence) => {
          const { tone, icon, label } = STATES[silence.state]
          return (
            <tr key={silence.id}>
              <td>
                <State tone={tone} icon={icon}>
                  {label}
                </State>
              </td>
              <td>{matchersText(silence.matchers)}</td>
              <td style={{ whiteSpace: 'nowrap' }}>{moment(silence.from)}</td>
              <td style={{ whiteSpace: 'nowrap' }}>{moment(silence.to)}</td>
              <td>{silence.author}</td>
              <td>{silence.reason}</td>
              {props.canEdit && (
                <td>{silence.state !== 'ended' && <End silence={silence} environment={props.environment} />}</td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)

const End = ({ silence, environment }: { silence: Silence; environment: string }) => {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () => call(url(['environments', environment, 'silences', silence.id]), { method: 'DELETE' }),
    onSettled: () => {
      for (const key of ['silences', 'alerts']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <>
      {end.error !== null && <Failure error={end.error} />}
      <Button
        size="compact-xs"
        variant="default"
        loading={end.isPending}
        aria-label={`End now: the silence of ${matchersText(silence.matchers)}`}
        onClick={() => end.mutate()}
      >
        End now
      </Button>
    </>
  )
}
