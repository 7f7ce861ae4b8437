import { Button, Group, Modal, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreatedKey, CreateKey, Key } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { environmentsQuery } from '../../api/queries.ts'
import { lastEnvironment } from '../../app/environment.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { useServiceNames } from '../../ui/use-service-names.ts'
import { When } from '../../ui/when.tsx'
import { More, Revoke, Secret, usePages } from './parts.tsx'

const HINT =
  'An agent key lets one service’s processes connect; an ingest key lets a Collector deliver telemetry for a list of services.'

export const Keys = () => {
  const environments = useQuery(environmentsQuery)
  const names = environments.data?.items.map(({ name }) => name) ?? []
  const [chosen, setChosen] = useState(lastEnvironment)
  const environment = chosen !== null && names.includes(chosen) ? chosen : names[0]
  const [adding, setAdding] = useState(false)
  const segments = ['environments', environment ?? '', 'keys']
  const query = usePages<Key>(segments, environment !== undefined)
  if (environment === undefined)
    return (
      <Ready query={environments}>
        {() => <Empty title="There is no environment yet">Make one on the overview first.</Empty>}
      </Ready>
    )
  return (
    <Panel
      title="Agent keys"
      hint={HINT}
      actions={
        <Group gap="xs">
          <Select
            aria-label="Environment"
            size="xs"
            allowDeselect={false}
            data={names}
            value={environment}
            onChange={setChosen}
          />
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Create key
          </Button>
        </Group>
      }
    >
      <Ready query={query}>
        {({ pages }) => <KeysTable keys={pages.flatMap(({ items }) => items)} environment={environment} />}
      </Ready>
      <More query={query} />
      <Modal opened={adding} onClose={() => setAdding(false)} title={`Create a key for ${environment}`}>
        <CreateKeyForm environment={environment} />
      </Modal>
    </Panel>
  )
}

const KeysTable = ({ keys, environment }: { keys: readonly Key[]; environment: string }) =>
  keys.length === 0 ? (
    <Empty title="No key was made yet">Agents and Collectors cannot connect to this environment without one.</Empty>
  ) : (
    <div className={ui.scroll}>
      <table className={ui.table} style={{ minWidth: 760 }}>
        <Heads labels={['Name', 'Kind', 'Services', 'Begins with', 'Created', 'Last used', 'State']} />
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>{key.name}</td>
              <td>{key.kind}</td>
              <td>{key.services.join(', ')}</td>
              <td>
                <code>{key.prefix}…</code>
              </td>
              <td>
                <When time={key.createdAt} />
              </td>
              <td>
                {key.lastUsedAt === null ? <span className={ui.dim}>never</span> : <When time={key.lastUsedAt} />}
              </td>
              <td>
                {key.revokedAt === null ? (
                  <Revoke
                    segments={['environments', environment, 'keys', key.id]}
                    verb="Revoke"
                    label={`Revoke the key ${key.name}`}
                    question="Processes that use this key are disconnected at once. They go on with their last policy, but can no longer be reached."
                  />
                ) : (
                  <span className={ui.dim}>
                    revoked <When time={key.revokedAt} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

const CreateKeyForm = ({ environment }: { environment: string }) => {
  const client = useQueryClient()
  const [kind, setKind] = useState<'agent' | 'ingest'>('agent')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const { names, ...searching } = useServiceNames(environment, kind === 'agent' ? chosen[0] : '')
  const create = useMutation({
    mutationFn: async () => {
      const body: CreateKey = { kind, name, services: chosen }
      return (await call<CreatedKey>(url(['environments', environment, 'keys']), { method: 'POST', body })).data
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['access'] }),
  })
  if (create.data !== undefined) return <Secret what="key" secret={create.data.secret} />
  const problem = create.error === null ? null : asProblem(create.error)
  const fields = problem?.fields() ?? {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <TextInput
          label="Name"
          placeholder="orders, production cluster"
          data-autofocus
          value={name}
          error={fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Kind"
          allowDeselect={false}
          data={[
            { value: 'agent', label: 'Agent: one service' },
            { value: 'ingest', label: 'Ingest: telemetry of several services' },
          ]}
          value={kind}
          onChange={(value) => {
            setKind(value === 'ingest' ? 'ingest' : 'agent')
            setChosen([])
          }}
        />
        {kind === 'agent' ? (
          <Select
            label="Service"
            searchable
            {...searching}
            data={[...new Set([...names, ...chosen])]}
            value={chosen[0] ?? null}
            error={fields.services}
            onChange={(value) => setChosen(value === null ? [] : [value])}
          />
        ) : (
          <MultiSelect
            label="Services"
            searchable
            {...searching}
            data={[...new Set([...names, ...chosen])]}
            value={chosen}
            error={fields.services}
            onChange={setChosen}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || chosen.length === 0}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
