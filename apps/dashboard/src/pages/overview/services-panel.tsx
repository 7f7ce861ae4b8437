import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Service } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import type { Whole } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Ready } from '../../ui/states.tsx'
import { ServicesTable } from './services-table.tsx'

interface ServicesPanelProps {
  readonly environment: string
  readonly services: UseQueryResult<Whole<Service>>
}

export const ServicesPanel = ({ environment, services }: ServicesPanelProps) => {
  const { canEdit } = useRole()
  const [opened, modal] = useDisclosure(false)
  const add = canEdit && (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={modal.open}>
      Add service
    </Button>
  )
  return (
    <Panel
      title="Services"
      hint="Figures are averages of the last minute; the line shows 15 minutes, offered dashed, completed solid."
      actions={add}
    >
      <Ready query={services}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="There is no service here yet">
              <p>
                Add one, make an agent key for it under Access, and start the service with that key. Until a policy is
                published its agents only observe.
              </p>
            </Empty>
          ) : (
            <ServicesTable environment={environment} services={items} />
          )
        }
      </Ready>
      <Modal opened={opened} onClose={modal.close} title="Add a service">
        <AddService environment={environment} />
      </Modal>
    </Panel>
  )
}

const AddService = ({ environment }: { environment: string }) => {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => call(url(['environments', environment, 'services']), { method: 'POST', body: { name } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['services', environment] })
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
