import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { useRole } from '../../app/role.ts'
import { PageHead } from '../../ui/panel.tsx'
import { Empty, Failure } from '../../ui/states.tsx'

/** The very first page: nothing is there to be looked at yet. */
export const NoEnvironment = () => {
  const { canAdmin } = useRole()
  return (
    <>
      <PageHead title="Welcome to Weir" />
      <Empty title="There is no environment yet">
        <p>An environment holds services that are looked after together: production, or staging.</p>
        {canAdmin ? <CreateEnvironment /> : <p>An admin can make one.</p>}
      </Empty>
    </>
  )
}

export const CreateEnvironment = ({ onDone }: { onDone?: () => void }) => {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: () => call('/api/v1/environments', { method: 'POST', body: { name } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['environments'] })
      onDone?.()
      await navigate({ to: '/e/$environment', params: { environment: name } })
    },
  })
  const problem = create.error === null ? null : asProblem(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      {problem !== null && problem.fields().name === undefined && <Failure error={problem} />}
      <Group align="flex-start" mt="sm">
        <TextInput
          aria-label="Name of the environment"
          placeholder="production"
          value={name}
          error={problem?.fields().name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <Button type="submit" loading={create.isPending}>
          Create environment
        </Button>
      </Group>
    </form>
  )
}
