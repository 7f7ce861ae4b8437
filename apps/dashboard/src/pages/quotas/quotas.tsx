import { Button, Group, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { QuotaRow } from '@weir/api'
import { useEffect, useMemo, useState } from 'react'
import { quotasQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { count, figure, plural } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { LeasesPanel } from './leases.tsx'
import { QuotaModal } from './quota-modal.tsx'

const ROW_HEIGHT = 42

const HINT =
  'Each quota holds for the whole fleet of this service: its agents lease parts of it by what they want, never more than the quota in sum. A tenant without a row gets what the policy says under tenants, split evenly over the live agents.'

export const Quotas = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/quotas' })
  const search = useSearch({ from: '/app/e/$environment/s/$service/quotas' })
  const navigate = useNavigate({ from: '/e/$environment/s/$service/quotas' })
  const [typed, setTyped] = useState(search.search ?? '')
  const [wanted] = useDebouncedValue(typed, 250)
  useEffect(() => {
    void navigate({ search: wanted === '' ? {} : { search: wanted }, replace: true })
  }, [wanted, navigate])
  const query = useQuery(quotasQuery(environment, service, wanted))
  const { canEdit } = useRole()
  const [open, setOpen] = useState<QuotaRow | 'new' | null>(null)
  const columns = useMemo(() => columnsOf(canEdit, setOpen), [canEdit])
  return (
    <>
      <LeasesPanel environment={environment} service={service} />
      <Panel
        title="Tenant quotas"
        hint={HINT}
        actions={
          <Group gap="xs">
            <TextInput
              size="xs"
              aria-label="Search quotas"
              placeholder="Tenant or resource"
              leftSection={<IconSearch size={14} />}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            {canEdit && (
              <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => setOpen('new')}>
                Add quota
              </Button>
            )}
          </Group>
        }
      >
        <Ready query={query}>
          {({ items, cut }) =>
            items.length === 0 ? (
              <NoQuotas searched={wanted} />
            ) : (
              <>
                <p className={ui.hint} aria-live="polite">
                  {plural(items.length, 'quota')}
                  {cut && ', and more that were not read: search to narrow them down'}
                </p>
                <Rows
                  label="Tenant quotas"
                  rows={items}
                  columns={columns}
                  keyOf={(row) => `${row.resource}\n${row.tenant}`}
                  rowHeight={ROW_HEIGHT}
                  minWidth={900}
                />
              </>
            )
          }
        </Ready>
        <QuotaModal environment={environment} service={service} open={open} onClose={() => setOpen(null)} />
      </Panel>
    </>
  )
}

const NoQuotas = ({ searched }: { searched: string }) =>
  searched === '' ? (
    <Empty title="No tenant has a quota of its own">
      <p>Add one to hold a tenant to a rate, a burst or a number of slots across the whole fleet.</p>
    </Empty>
  ) : (
    <Empty title={`No quota matches “${searched}”`}>Search for a part of the tenant’s id or of the resource.</Empty>
  )

const limit = (value: number | null, unit: string) =>
  value === null ? <span className={ui.dim}>no limit</span> : `${unit === '/s' ? figure(value) : count(value)}${unit}`

const columnsOf = (canEdit: boolean, onOpen: (row: QuotaRow) => void): readonly Column<QuotaRow>[] => [
  { key: 'tenant', label: 'Tenant', track: 'minmax(140px, 1.5fr)', cell: (row) => row.tenant },
  { key: 'resource', label: 'Resource', track: 'minmax(110px, 1.3fr)', cell: (row) => row.resource },
  { key: 'rate', label: 'Rate', track: '90px', number: true, cell: (row) => limit(row.rate, '/s') },
  {
    key: 'burst',
    label: 'Burst',
    track: '90px',
    number: true,
    cell: (row) =>
      row.rate === null ? '' : row.burst === null ? <span className={ui.dim}>1 s of rate</span> : count(row.burst),
  },
  { key: 'concurrency', label: 'Slots', track: '90px', number: true, cell: (row) => limit(row.concurrency, '') },
  { key: 'weight', label: 'Weight', track: '70px', number: true, cell: (row) => figure(row.weight) },
  {
    key: 'changed',
    label: 'Changed',
    track: 'minmax(190px, 1.8fr)',
    cell: (row) => (
      <span className={ui.dim}>
        <When time={row.updatedAt} />, {row.updatedBy}
      </span>
    ),
  },
  {
    key: 'edit',
    label: canEdit ? 'Edit' : '',
    track: '64px',
    cell: (row) =>
      canEdit && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Edit ${row.tenant} on ${row.resource}`}
          onClick={() => onOpen(row)}
        >
          Edit
        </Button>
      ),
  },
]
