import { Button, Group, PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CreatedReceiver, Receiver, ReceiverInput, ReceiverKind } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { Failure } from '../../ui/states.tsx'
import { Secret } from '../access/parts.tsx'
import { ANY, MatchersInput } from './matchers.tsx'
import { KINDS } from './receiver-kinds.ts'

interface ReceiverFormProps {
  readonly environment: string
  /** `null`: a new one. */
  readonly receiver: Receiver | null
  readonly onDone: () => void
}

interface Draft {
  readonly kind: ReceiverKind
  readonly name: string
  readonly url: string
  readonly to: string[]
  readonly secret: string
  readonly watchdog: boolean
  readonly matchers: Receiver['matchers']
}

const draftOf = (receiver: Receiver | null): Draft => ({
  kind: receiver?.kind ?? 'alertmanager',
  name: receiver?.name ?? '',
  url: receiver === null || receiver.kind === 'slack' ? '' : (receiver.url ?? ''),
  to: receiver?.to ?? [],
  secret: '',
  watchdog: receiver?.watchdog ?? true,
  matchers: receiver?.matchers ?? ANY,
})

const inputOf = ({ kind, name, url: address, to, secret, watchdog, matchers }: Draft): ReceiverInput => {
  if (kind === 'email') return { kind, name, matchers, to }
  if (kind === 'slack') return { kind, name, matchers, ...(address === '' ? {} : { url: address }) }
  return { kind, name, matchers, url: address, watchdog, ...(secret === '' ? {} : { secret }) }
}

export const ReceiverForm = ({ environment, receiver, onDone }: ReceiverFormProps) => {
  const client = useQueryClient()
  const [draft, setDraft] = useState(draftOf(receiver))
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: async () => {
      const path = ['environments', environment, 'receivers', ...(receiver === null ? [] : [receiver.id])]
      const how =
        receiver === null
          ? { method: 'POST' as const }
          : { method: 'PUT' as const, ifMatch: `"receiver-${receiver.version}"` }
      return (await call<Partial<CreatedReceiver>>(url(path), { ...how, body: inputOf(draft) })).data
    },
    onSuccess: ({ secret }) => {
      if (typeof secret !== 'string') onDone()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['receivers'] }),
  })
  if (typeof save.data?.secret === 'string')
    return (
      <Secret what="signing secret" secret={save.data.secret}>
        Check with it that a message is ours: weir-signature is v1= and the HMAC-SHA256 of weir-timestamp, a dot and the
        body.
      </Secret>
    )
  const problem = save.error === null ? null : asProblem(save.error)
  const fields = problem?.fields() ?? {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <Select
          label="Kind"
          description={KINDS[draft.kind].hint}
          allowDeselect={false}
          disabled={receiver !== null}
          data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
          value={draft.kind}
          error={fields.kind}
          onChange={(kind) => kind !== null && set({ kind: kind as ReceiverKind, watchdog: kind === 'alertmanager' })}
        />
        <TextInput
          label="Name"
          data-autofocus
          value={draft.name}
          error={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Where draft={draft} isNew={receiver === null} fields={fields} set={set} />
        <MatchersInput environment={environment} value={draft.matchers} onChange={(matchers) => set({ matchers })} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={draft.name.trim() === ''}>
            {receiver === null ? 'Add receiver' : 'Save receiver'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface WhereProps {
  readonly draft: Draft
  readonly isNew: boolean
  readonly fields: Readonly<Record<string, string>>
  readonly set: (change: Partial<Draft>) => void
}

const Where = ({ draft, isNew, fields, set }: WhereProps) => {
  if (draft.kind === 'email')
    return (
      <TagsInput
        label="To"
        description="Addresses; Enter takes one"
        value={draft.to}
        error={Object.entries(fields).find(([path]) => path.startsWith('to'))?.[1]}
        onChange={(to) => set({ to })}
      />
    )
  const kept = isNew ? '' : ' Left empty, it stays as it is.'
  return (
    <>
      <TextInput
        label="Address"
        description={draft.kind === 'slack' ? kept.trim() : undefined}
        placeholder={KINDS[draft.kind].place}
        value={draft.url}
        error={fields.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      {draft.kind !== 'slack' && (
        <>
          <PasswordInput
            label={draft.kind === 'webhook' ? 'Signing secret' : 'Bearer token'}
            description={
              draft.kind === 'webhook'
                ? `Without one we make one and show it once.${kept}`
                : `Where it wants one.${kept}`
            }
            autoComplete="off"
            value={draft.secret}
            error={fields.secret}
            onChange={(event) => set({ secret: event.currentTarget.value })}
          />
          <Switch
            label="Tell it each minute that alerts are judged, so that it notices when they are not"
            checked={draft.watchdog}
            onChange={(event) => set({ watchdog: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  )
}
