import { Button, Group, Modal, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Role, Token } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { More, Revoke, Secret, usePages } from './parts.tsx'
import { ROLE_CHOICES, roleOf } from './roles.ts'

export const Tokens = () => {
  const query = usePages<Token>(['tokens'])
  const [adding, setAdding] = useState(false)
  return (
    <Panel
      title="API tokens"
      hint="For the command line and for CI."
      actions={
        <Button size="xs" variant="default" onClick={() => setAdding(true)}>
          Create token
        </Button>
      }
    >
      <Ready query={query}>{({ pages }) => <TokensTable tokens={pages.flatMap(({ items }) => items)} />}</Ready>
      <More query={query} />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Create an API token">
        <CreateToken />
      </Modal>
    </Panel>
  )
}

const TokensTable = ({ tokens }: { tokens: readonly Token[] }) =>
  tokens.length === 0 ? (
    <Empty title="No token was made yet">Scripts sign in with a token in place of a password.</Empty>
  ) : (
    <div className={ui.scroll}>
      <table className={ui.table} style={{ minWidth: 680 }}>
        <Heads labels={['Name', 'Role', 'Begins with', 'Created', 'Expires', 'Last used', 'Action']} />
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>{token.name}</td>
              <td>{token.role}</td>
              <td>
                <code>{token.prefix}…</code>
              </td>
              <td>
                <When time={token.createdAt} />
              </td>
              <td>{token.expiresAt === null ? 'never' : token.expiresAt.slice(0, 10)}</td>
              <td>
                {token.lastUsedAt === null ? <span className={ui.dim}>never</span> : <When time={token.lastUsedAt} />}
              </td>
              <td>
                <Revoke
                  segments={['tokens', token.id]}
                  verb="Revoke"
                  label={`Revoke the token ${token.name}`}
                  question="Whatever uses this token is refused from now on."
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

const CreateToken = () => {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState<number | ''>(90)
  const create = useMutation({
    mutationFn: async () => {
      const body = { name, role, expiresInDays: days === '' ? null : days }
      return (await call<Token & { secret: string }>(url(['tokens']), { method: 'POST', body })).data
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['access'] }),
  })
  if (create.data !== undefined) return <Secret what="token" secret={create.data.secret} />
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
          placeholder="ci"
          data-autofocus
          value={name}
          error={fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Role"
          allowDeselect={false}
          data={ROLE_CHOICES}
          value={role}
          onChange={(value) => setRole(roleOf(value))}
        />
        <NumberInput
          label="Expires in days"
          description="Empty: never."
          hideControls
          min={1}
          max={3650}
          value={days}
          error={fields.expiresInDays}
          onChange={(value) => setDays(typeof value === 'number' ? value : '')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
