import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Service } from '@weir/api'
import { lazy, Suspense } from 'react'
import type { Whole } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import { ServicesTable } from './services-table.tsx'

interface ServicesPanelProps {
  readonly environment: string
  readonly services: UseQueryResult<Whole<Service>>
}

const AddService = lazy(() => import('./add-service.tsx'))

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
      <Suspense>{opened && <AddService environment={environment} onClose={modal.close} />}</Suspense>
    </Panel>
  )
}
