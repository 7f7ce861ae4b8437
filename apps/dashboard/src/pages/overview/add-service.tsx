import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { Failure } from '../../ui/states.tsx'

const AddService = ({ environment, onClose }: { environment: string; onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Add a service">
    <AddServiceForm environment={environment} />
  </Modal>
)

export default AddService

const AddServiceForm = ({ environment }: { environment: string }) => {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => call(url(['environments', environment, 'services']), { method: 'POST', body: { name } }),
    onSuccess: async () => {
      for (const key of ['services', 'verdicts']) await client.invalidateQueries({ queryKey: [key, environment] })
      await navigate({ to: '/e/$environment/s/$service', params: { environment, service: name } })
    },
  })
  const problem = add.error === null ? null : asProblem(add.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem !== null && problem.fields().name === undefined && <Failure error={problem} />}
        <TextInput
          label="Name"
          description="As its agents report it: lower-case letters, digits, dots, dashes and underscores."
          placeholder="orders"
          data-autofocus
          value={name}
          error={problem?.fields().name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending} disabled={name === ''}>
            Add service
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
