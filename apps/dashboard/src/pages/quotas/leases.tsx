import { Alert, Button, SegmentedControl } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LeasedQuota, Leases } from '@weir/api'
import { useMemo, useState } from 'react'
import { leasesQuery } from '../../api/queries.ts'
import { count, duration, plural } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import { afterwards } from './after.ts'
import { SharesModal } from './shares-modal.tsx'
import { units } from './units.ts'

const ROW_HEIGHT = 42

const HINT = {
  now: 'What of each quota agents have leased, want and use at this moment. Safe is what they keep when nobody answers them.',
  away: 'What agents would use of each quota in sum if the control plane went away now, and from when on.',
} as const

/** What of the quotas is in use, and what would be left of them without a control plane. */
export const LeasesPanel = ({ environment, service }: { environment: string; service: string }) => {
  const query = useQuery(leasesQuery(environment, service))
  const [view, setView] = useState<keyof typeof HINT>('now')
  const [open, setOpen] = useState<LeasedQuota | null>(null)
  const rule = query.data
  const columns = useMemo(() => (view === 'now' ? nowColumns(setOpen) : awayColumns(rule)), [view, rule])
  return (
    <Panel
      title="Leases"
      hint={HINT[view]}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="What is shown of the leases"
          value={view}
          onChange={(value) => setView(value as keyof typeof HINT)}
          data={[
            { value: 'now', label: 'Now' },
            { value: 'away', label: 'Without the control plane' },
          ]}
        />
      }
    >
      <Ready query={query}>
        {(leases) => (
          <>
            <Uncounted leases={leases} />
            {leases.items.length === 0 ? (
              <Empty title="Nothing is leased at present">
                <p>Agents ask for a quota once one of their gates draws on its resource.</p>
              </Empty>
            ) : (
              <Rows
                label="Leases"
                rows={leases.items}
                columns={columns}
                keyOf={({ kind, resource, tenant }) => `${kind}\n${resource}\n${tenant}`}
                rowHeight={ROW_HEIGHT}
                minWidth={900}
                stacks
              />
            )}
          </>
        )}
      </Ready>
      <SharesModal environment={environment} service={service} quota={open} onClose={() => setOpen(null)} />
    </Panel>
  )
}

const Uncounted = ({ leases: { uncounted, expiry, holdSeconds } }: { leases: Leases }) => (
  <>
    {uncounted > 0 && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle />}
        title={`${plural(uncounted, 'agent')} outside of what is counted`}
      >
        Never answered since their start: they take an even part of each quota until they are.
      </Alert>
    )}
    {expiry === 'hold' && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle />}
        title={`Leases are held for ${count(holdSeconds)} s past their end`}
      >
        So says the policy. While agents are not answered, up to twice a quota may pass.
      </Alert>
    )}
  </>
)

const names: readonly Column<LeasedQuota>[] = [
  { key: 'tenant', label: 'Tenant', track: 'minmax(130px, 1.4fr)', cell: ({ tenant }) => tenant },
  { key: 'resource', label: 'Resource', track: 'minmax(100px, 1.2fr)', cell: ({ resource }) => resource },
  { key: 'kind', label: 'Of', track: '60px', cell: ({ kind }) => kind },
  { key: 'quota', label: 'Quota', track: '90px', number: true, cell: (row) => units(row.kind, row.quota) },
]

const amount = (key: 'granted' | 'wanted' | 'used' | 'safe', label: string): Column<LeasedQuota> => ({
  key,
  label,
  track: '90px',
  number: true,
  cell: (row) => units(row.kind, row[key]),
})

const nowColumns = (onOpen: (row: LeasedQuota) => void): readonly Column<LeasedQuota>[] => [
  ...names,
  amount('granted', 'Granted'),
  amount('wanted', 'Wanted'),
  amount('used', 'Used'),
  amount('safe', 'Safe'),
  {
    key: 'agents',
    label: 'Agents',
    track: '110px',
    cell: (row) => (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${plural(row.agents, 'agent')} with parts of ${row.tenant} on ${row.resource}, ${row.kind}`}
        onClick={() => onOpen(row)}
      >
        {plural(row.agents, 'agent')}
      </Button>
    ),
  },
]

const awayColumns = (leases: Leases | undefined): readonly Column<LeasedQuota>[] => [
  ...names,
  {
    key: 'after',
    label: 'In sum, from when on',
    track: 'minmax(380px, 4fr)',
    cell: (row) =>
      leases === undefined
        ? ''
        : afterwards(row, leases)
            .map(({ fromMs, units: sum, outside }) => {
              const from = fromMs === 0 ? 'now' : `in ${duration(Math.ceil(fromMs / 1_000))}`
              return `${from} ${units(row.kind, sum)}${outside ? ' (outside the bound)' : ''}`
            })
            .join(' · '),
  },
]
