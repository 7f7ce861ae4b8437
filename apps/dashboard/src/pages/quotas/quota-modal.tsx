import { Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Published, QuotaRow } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { type Answer, call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { Failure, Loading, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { draftOf, type QuotaDraft, quotaOf, sameQuota } from './quota-form.ts'

interface QuotaModalProps {
  readonly environment: string
  readonly service: string
  readonly open: QuotaRow | 'new' | null
  readonly onClose: () => void
}

export const QuotaModal = ({ environment, service, open, onClose }: QuotaModalProps) => (
  <Modal
    opened={open !== null}
    onClose={onClose}
    title={open === null || open === 'new' ? 'Add a quota' : `${open.tenant} on ${open.resource}`}
  >
    {open === 'new' && (
      <QuotaForm environment={environment} service={service} seen={null} current={null} onClose={onClose} />
    )}
    {open !== null && open !== 'new' && (
      <EditQuota environment={environment} service={service} row={open} onClose={onClose} />
    )}
  </Modal>
)

type Where = Omit<QuotaModalProps, 'open'>

/** What is edited is read anew: the list may be older than the last change. */
const EditQuota = ({ row, ...where }: Where & { row: QuotaRow }) => {
  const query = useQuery({
    queryKey: ['quota', where.environment, where.service, row.resource, row.tenant],
    queryFn: ({ signal }) =>
      call<QuotaRow>(
        url(['environments', where.environment, 'services', where.service, 'quotas', row.resource, row.tenant]),
        { signal },
      ),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Ready query={query} loading={<Loading rows={4} />}>
      {(current) => <QuotaForm {...where} seen={row} current={current} />}
    </Ready>
  )
}

interface QuotaFormProps extends Where {
  /** The row that was chosen, null for a new one. */
  readonly seen: QuotaRow | null
  readonly current: Answer<QuotaRow> | null
}

interface Values extends QuotaDraft {
  readonly resource: string
  readonly tenant: string
  readonly reason: string
}

const useWrites = ({ environment, service, current, onClose }: QuotaFormProps, values: Values) => {
  const client = useQueryClient()
  const path = [
    'environments',
    environment,
    'services',
    service,
    'quotas',
    values.resource,
    values.tenant.normalize('NFC'),
  ]
  const match = current === null ? { create: true } : current.etag === null ? {} : { ifMatch: current.etag }
  const done = (what: string) => ({
    onSuccess: ({ data }: Answer<Published>) => {
      onClose()
      notifications.show({ title: what, message: `Revision ${data.revision}. The agents are taking it now.` })
    },
    onSettled: () => {
      for (const key of ['quotas', 'quota', 'service', 'verdicts', 'agents'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const put = useMutation({
    mutationFn: () =>
      call<Published>(url(path), { method: 'PUT', ...match, body: { quota: quotaOf(values), reason: values.reason } }),
    ...done(`Quota of ${values.tenant} saved`),
  })
  const remove = useMutation({
    mutationFn: () => call<Published>(url(path, { reason: values.reason }), { method: 'DELETE', ...match }),
    ...done(`Quota of ${values.tenant} removed`),
  })
  return { put, remove }
}

const QuotaForm = (props: QuotaFormProps) => {
  const row = props.current?.data ?? null
  const [values, setValues] = useState<Values>({
    ...draftOf(props.seen),
    resource: row?.resource ?? '',
    tenant: row?.tenant ?? '',
    reason: '',
  })
  const { put, remove } = useWrites(props, values)
  const error = put.error ?? remove.error
  const problem = error === null ? null : asProblem(error)
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate()
  }
  const nameless = values.resource === '' || values.tenant === ''
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <Moved
          problemStatus={problem?.status}
          seen={props.seen}
          row={row}
          onTake={() => row !== null && set(draftOf(row))}
        />
        {row === null && (
          <Group grow align="flex-start">
            <TextInput
              label="Tenant"
              required
              withAsterisk={false}
              data-autofocus
              value={values.tenant}
              onChange={(event) => set({ tenant: event.currentTarget.value })}
            />
            <TextInput
              label="Resource"
              description="A gate’s name, unless the gate names another."
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              withAsterisk={false}
              value={values.resource}
              onChange={(event) => set({ resource: event.currentTarget.value })}
            />
          </Group>
        )}
        <Numbers values={values} fields={problem?.fields() ?? {}} onChange={set} />
        <Textarea
          label="Reason"
          required
          withAsterisk={false}
          autosize
          minRows={2}
          maxLength={500}
          value={values.reason}
          error={problem?.fields().reason}
          onChange={(event) => set({ reason: event.currentTarget.value })}
        />
        <Group justify="space-between">
          {row === null ? (
            <span />
          ) : (
            <Button
              variant="subtle"
              color="red"
              loading={remove.isPending}
              disabled={values.reason.trim() === ''}
              onClick={() => remove.mutate()}
            >
              Remove quota
            </Button>
          )}
          <Button type="submit" loading={put.isPending} disabled={nameless || values.reason.trim() === ''}>
            Save quota
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface NumbersProps {
  readonly values: QuotaDraft
  readonly fields: Readonly<Record<string, string>>
  readonly onChange: (change: Partial<QuotaDraft>) => void
}

const NUMBERS = [
  { name: 'rate', label: 'Rate per second' },
  { name: 'burst', label: 'Burst' },
  { name: 'concurrency', label: 'Slots at once' },
  { name: 'weight', label: 'Weight' },
] as const

const Numbers = ({ values, fields, onChange }: NumbersProps) => (
  <>
    <p className={ui.hint}>
      Fleet-wide: agents lease parts of it by what they want. Empty means no limit, 0 lets nothing pass.
    </p>
    <Group grow align="flex-start">
      {NUMBERS.map(({ name, label }) => (
        <NumberInput
          key={name}
          label={label}
          hideControls
          min={0}
          thousandSeparator=","
          placeholder={name === 'weight' ? '1' : 'no limit'}
          disabled={name === 'burst' && values.rate === ''}
          value={values[name]}
          error={fields[`quota.${name}`] ?? fields[name]}
          onChange={(value) => onChange({ [name]: typeof value === 'number' ? value : '' })}
        />
      ))}
    </Group>
  </>
)

interface MovedProps {
  readonly problemStatus: number | undefined
  readonly seen: QuotaRow | null
  readonly row: QuotaRow | null
  readonly onTake: () => void
}

const words = ({ rate, burst, concurrency, weight }: QuotaRow): string =>
  `rate ${rate ?? 'none'}, burst ${burst ?? 'none'}, slots ${concurrency ?? 'none'}, weight ${weight}`

/** The quota is no longer what the operator saw: said, with both at hand, before anything is written over. */
const Moved = ({ problemStatus, seen, row, onTake }: MovedProps) => {
  if (row === null || seen === null || (sameQuota(seen, row) && problemStatus !== 412)) return null
  return (
    <div role="alert">
      <p className={ui.warn}>
        {row.updatedBy} changed this quota meanwhile to: {words(row)}. Your figures are still in the fields; saving puts
        them in place of theirs.
      </p>
      <Button size="compact-xs" variant="default" onClick={onTake}>
        Take theirs
      </Button>
    </div>
  )
}
