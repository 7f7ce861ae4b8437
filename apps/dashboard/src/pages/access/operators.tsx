import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateOperator, Operator } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { meQuery } from '../../api/queries.ts'
import { Heads } from '../../ui/heads.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { More, Revoke, usePages } from './parts.tsx'
import { ROLE_CHOICES, roleOf } from './roles.ts'

export const Operators = () => {
  const query = usePages<Operator>(['operators'])
  const [adding, setAdding] = useState(false)
  return (
    <Panel
      title="Operators"
      hint="People who sign in."
      actions={
        <Button size="xs" variant="default" onClick={() => setAdding(true)}>
          Add operator
        </Button>
      }
    >
      <Ready query={query}>{({ pages }) => <OperatorsTable operators={pages.flatMap(({ items }) => items)} />}</Ready>
      <More query={query} />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add an operator">
        <AddOperator onDone={() => setAdding(false)} />
      </Modal>
    </Panel>
  )
}

const OperatorsTable = ({ operators }: { operators: readonly Operator[] }) => {
  const { data: me } = useQuery(meQuery)
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: string }) =>
      call(url(['operators', id]), { method: 'PATCH', body: { role } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['access'] }),
  })
  return (
    <div className={ui.scroll}>
      {change.error !== null && <Failure error={change.error} />}
      <table className={ui.table} style={{ minWidth: 640 }}>
        <Heads labels={['Name', 'Email', 'Role', 'Added', 'Action']} />
        <tbody>
          {operators.map((operator) => (
            <tr key={operator.id}>
              <td>{operator.name}</td>
              <td>{operator.email}</td>
              <td>
                {operator.id === me?.id ? (
                  operator.role
                ) : (
                  <Select
                    size="xs"
                    w={230}
                    aria-label={`Role of ${operator.name}`}
                    allowDeselect={false}
                    data={ROLE_CHOICES}
                    value={operator.role}
                    disabled={change.isPending}
                    onChange={(role) => change.mutate({ id: operator.id, role: roleOf(role) })}
                  />
                )}
              </td>
              <td>
                <When time={operator.createdAt} />
              </td>
              <td>
                {operator.id === me?.id ? (
                  <span className={ui.dim}>you</span>
                ) : (
                  <Revoke
                    segments={['operators', operator.id]}
                    verb="Remove"
                    label={`Remove ${operator.name}`}
                    question={`${operator.name} is signed out everywhere and can no longer sign in.`}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const AddOperator = ({ onDone }: { onDone: () => void }) => {
  const client = useQueryClient()
  const [values, setValues] = useState<CreateOperator>({ name: '', email: '', password: '', role: 'viewer' })
  const add = useMutation({
    mutationFn: () => call(url(['operators']), { method: 'POST', body: values }),
    onSuccess: async () => {
      onDone()
      await client.invalidateQueries({ queryKey: ['access'] })
    },
  })
  const problem = add.error === null ? null : asProblem(add.error)
  const fields = problem?.fields() ?? {}
  const field = (name: 'name' | 'email' | 'password', label: string) => ({
    label,
    value: values[name],
    error: fields[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((before) => ({ ...before, [name]: value }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <TextInput {...field('name', 'Name')} data-autofocus autoComplete="off" />
        <TextInput {...field('email', 'Email')} type="email" autoComplete="off" />
        <PasswordInput
          {...field('password', 'First password')}
          description="At least 12 characters; hand it over in person."
          autoComplete="new-password"
        />
        <Select
          label="Role"
          allowDeselect={false}
          data={ROLE_CHOICES}
          value={values.role}
          onChange={(role) => setValues((before) => ({ ...before, role: roleOf(role) }))}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending}>
            Add operator
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
