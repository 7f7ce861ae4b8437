import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AlertRule, Service } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { type Answer, call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { serviceQuery, servicesQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { share } from '../../format/numbers.ts'
import { span } from '../../format/times.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'

/** When the refused share of each service is an alert. */
export const Rules = ({ environment }: { environment: string }) => {
  const services = useQuery(servicesQuery(environment))
  const { canEdit } = useRole()
  const [editing, setEditing] = useState<string | null>(null)
  return (
    <Panel
      title="Rules"
      hint="Raised when the refused share stays above the threshold, resolved when it stays below for as long."
    >
      <Ready query={services}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="There is no service yet" />
          ) : (
            <table className={ui.table}>
              <thead>
                <tr>
                  <th scope="col">Service</th>
                  <th scope="col">Sustained shedding</th>
                  {canEdit && <th scope="col">Action</th>}
                </tr>
              </thead>
              <tbody>
                {items.map(({ name, alertRule }) => (
                  <tr key={name}>
                    <td>{name}</td>
                    <td>
                      above {share(alertRule.share)} for {span(alertRule.forSeconds * 1000)}
                    </td>
                    {canEdit && (
                      <td>
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={`Edit the rule of ${name}`}
                          onClick={() => setEditing(name)}
                        >
                          Edit
                        </Button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Ready>
      <Modal opened={editing !== null} onClose={() => setEditing(null)} title={`Rule of ${editing ?? ''}`}>
        {editing !== null && <EditRule environment={environment} service={editing} onDone={() => setEditing(null)} />}
      </Modal>
    </Panel>
  )
}

interface EditRuleProps {
  readonly environment: string
  readonly service: string
  readonly onDone: () => void
}

const EditRule = (props: EditRuleProps) => {
  const query = useQuery({ ...serviceQuery(props.environment, props.service), refetchInterval: false })
  return (
    <Ready query={query} loading={<Loading rows={2} />}>
      {(answer) => <RuleForm key={answer.etag} {...props} answer={answer} />}
    </Ready>
  )
}

const RuleForm = ({ environment, service, answer, onDone }: EditRuleProps & { answer: Answer<Service> }) => {
  const client = useQueryClient()
  const [rule, setRule] = useState<AlertRule>(answer.data.alertRule)
  const save = useMutation({
    mutationFn: () =>
      call(url(['environments', environment, 'services', service, 'alert-rule']), {
        method: 'PUT',
        ...(answer.etag === null ? {} : { ifMatch: answer.etag }),
        body: rule,
      }),
    onSuccess: onDone,
    onSettled: () => {
      for (const key of ['service', 'services']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const problem = save.error === null ? null : asProblem(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <Group grow align="flex-start">
          <NumberInput
            label="Refused share, per cent"
            hideControls
            min={0}
            max={100}
            value={Math.round(rule.share * 10_000) / 100}
            error={problem?.fields().share}
            onChange={(value) => typeof value === 'number' && setRule((before) => ({ ...before, share: value / 100 }))}
          />
          <NumberInput
            label="For seconds"
            hideControls
            min={5}
            max={3600}
            value={rule.forSeconds}
            error={problem?.fields().forSeconds}
            onChange={(value) => typeof value === 'number' && setRule((before) => ({ ...before, forSeconds: value }))}
          />
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Save rule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
