import { Button, Group, Modal } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Receiver, TestedReceiver } from '@weir/api'
import { useState } from 'react'
import { call, url } from '../../api/client.ts'
import { receiversQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { plural } from '../../format/numbers.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { State } from '../../ui/state.tsx'
import { Empty, Failure, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { Revoke } from '../access/parts.tsx'
import { matchersText } from './matchers.tsx'
import { ReceiverForm } from './receiver-form.tsx'
import { KINDS } from './receiver-kinds.ts'

/** Who is told, and whether that works. */
export const ReceiversTab = ({ environment }: { environment: string }) => {
  const query = useQuery(receiversQuery(environment))
  const { canAdmin } = useRole()
  const [open, setOpen] = useState<Receiver | 'new' | null>(null)
  return (
    <Panel
      title="Receivers"
      hint="Each is told once that an alert fires and once that it is over; what cannot be delivered is tried again for a day."
      actions={
        canAdmin && (
          <Button size="xs" variant="default" onClick={() => setOpen('new')}>
            Add a receiver
          </Button>
        )
      }
    >
      <Ready query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nobody is told of alerts">
              <p>Alerts are on this page only. An admin can add an Alertmanager, a webhook, a Slack channel or mail.</p>
            </Empty>
          ) : (
            <ReceiversTable receivers={items} environment={environment} onEdit={setOpen} />
          )
        }
      </Ready>
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null || open === 'new' ? 'Add a receiver' : `Receiver ${open.name}`}
      >
        {open !== null && (
          <ReceiverForm
            environment={environment}
            receiver={open === 'new' ? null : open}
            onDone={() => setOpen(null)}
          />
        )}
      </Modal>
    </Panel>
  )
}

const ReceiversTable = (props: {
  receivers: readonly Receiver[]
  environment: string
  onEdit: (receiver: Receiver) => void
}) => {
  const { canAdmin } = useRole()
  return (
    <div className={ui.scroll}>
      <table className={ui.table} aria-label="Receivers" style={{ minWidth: 900 }}>
        <Heads labels={['Name', 'Kind', 'Where', 'Is told of', 'Last delivery', ...(canAdmin ? ['Action'] : [])]} />
        <tbody>
          {props.receivers.map((receiver) => (
            <tr key={receiver.id}>
              <td>
                <b>{receiver.name}</b>
              </td>
              <td>{KINDS[receiver.kind].label}</td>
              <td style={{ overflowWrap: 'anywhere', maxWidth: 260 }}>{receiver.url ?? receiver.to.join(', ')}</td>
              <td>
                {matchersText(receiver.matchers)}
                {receiver.watchdog && <div className={ui.hint}>and each minute that alerts are judged</div>}
              </td>
              <td style={{ maxWidth: 280 }}>
                <Delivery receiver={receiver} />
              </td>
              {canAdmin && (
                <td>
                  <Group gap={6} wrap="nowrap">
                    <Test receiver={receiver} environment={props.environment} />
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Edit ${receiver.name}`}
                      onClick={() => props.onEdit(receiver)}
                    >
                      Edit
                    </Button>
                    <Revoke
                      segments={['environments', props.environment, 'receivers', receiver.id]}
                      verb="Remove"
                      label={`Remove ${receiver.name}`}
                      question="It is told of nothing more, neither of what waits nor that what fires is over."
                      refresh="receivers"
                    />
                  </Group>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Delivery = ({ receiver: { delivery } }: { receiver: Receiver }) => {
  const waiting = delivery.waiting > 0 && (
    <div className={ui.hint}>{plural(delivery.waiting, 'alert')} not told yet</div>
  )
  const dropped = delivery.dropped > 0 && <div className={ui.hint}>{plural(delivery.dropped, 'alert')} never told</div>
  return (
    <>
      {delivery.error !== null ? (
        <>
          <State tone="bad" icon={<IconAlertTriangle size={15} />}>
            Failed {plural(delivery.attempts, 'time')}
          </State>
          <div className={ui.hint}>{delivery.error}</div>
        </>
      ) : delivery.deliveredAt === null ? (
        <State tone="dim" icon={<IconClock size={15} />}>
          Nothing told yet
        </State>
      ) : (
        <State tone="good" icon={<IconCheck size={15} />}>
          <When time={delivery.deliveredAt} />
        </State>
      )}
      {waiting}
      {dropped}
    </>
  )
}

const Test = ({ receiver, environment }: { receiver: Receiver; environment: string }) => {
  const client = useQueryClient()
  const test = useMutation({
    mutationFn: async () =>
      (
        await call<TestedReceiver>(url(['environments', environment, 'receivers', receiver.id, 'test']), {
          method: 'POST',
        })
      ).data,
    onSettled: () => client.invalidateQueries({ queryKey: ['receivers'] }),
  })
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={test.isPending}
        aria-label={`Test ${receiver.name}`}
        onClick={() => test.mutate()}
      >
        Test
      </Button>
      <Modal
        opened={test.data !== undefined || test.error !== null}
        onClose={() => test.reset()}
        title={`Test of ${receiver.name}`}
      >
        {test.error !== null && <Failure error={test.error} />}
        {test.data !== undefined && (
          <State
            tone={test.data.delivered ? 'good' : 'bad'}
            icon={test.data.delivered ? <IconCheck size={15} /> : <IconAlertTriangle size={15} />}
          >
            {test.data.delivered ? 'Delivered' : 'Not delivered'}
          </State>
        )}
        {test.data !== undefined && <p style={{ margin: '8px 0 0' }}>{test.data.detail}</p>}
      </Modal>
    </>
  )
}
