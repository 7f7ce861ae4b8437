import { Button, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LeasedQuota, Leases } from '@weir/api'
import { useMemo, useState } from 'react'
import { leasesQuery } from '../../api/queries.ts'
import { count, duration, plural } from '../../format/numbers.ts'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { afterwards } from './after.ts'
import classes from './leases.module.css'
import { SharesModal } from './shares-modal.tsx'
import { units } from './units.ts'

const ROW_HEIGHT = 50

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
            <Notices environment={environment} service={service} leases={leases} />
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
                minWidth={840}
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

interface NoticesProps {
  readonly environment: string
  readonly service: string
  readonly leases: Leases
}

const Notices = ({ environment, service, leases: { uncounted, expiry, holdSeconds } }: NoticesProps) => (
  <>
    {uncounted > 0 && (
      <Notice title={`${plural(uncounted, 'agent')} outside of what is counted`}>
        Never answered since their start: they take an even part of each quota until they are.{' '}
        <Link
          to="/e/$environment/s/$service/agents"
          params={{ environment, service }}
          search={{ show: 'uncounted' }}
          className={ui.link}
        >
          Which ones
        </Link>
      </Notice>
    )}
    {expiry === 'hold' && (
      <Notice title={`Leases are held for ${count(holdSeconds)} s past their end`}>
        So says the policy. While agents are not answered, up to twice a quota may pass.
      </Notice>
    )}
  </>
)

const names: readonly Column<LeasedQuota>[] = [
  {
    key: 'tenant',
    label: 'Tenant, resource',
    track: 'minmax(200px, 3fr)',
    cell: ({ tenant, resource, kind }) => (
      <>
        <span className={classes.tenant}>{tenant}</span>
        <span className={classes.small}>
          {resource}, {kind}
        </span>
      </>
    ),
  },
  { key: 'quota', label: 'Quota', track: '90px', number: true, cell: (row) => units(row.kind, row.quota) },
]

const amount = (key: 'used' | 'safe', label: string): Column<LeasedQuota> => ({
  key,
  label,
  track: '90px',
  number: true,
  cell: (row) => units(row.kind, row[key]),
})

/** More is wanted than there is, by more than a rounding. */
const isShort = ({ wanted, granted }: LeasedQuota): boolean => wanted > granted * 1.001

const nowColumns = (onOpen: (row: LeasedQuota) => void): readonly Column<LeasedQuota>[] => [
  ...names,
  {
    key: 'granted',
    label: 'Granted',
    track: 'minmax(120px, 1fr)',
    number: true,
    cell: (row) => (
      <>
        {units(row.kind, row.granted)}
        <span className={classes.bar} aria-hidden="true">
          <span style={{ width: `${row.quota > 0 ? Math.min(100, (100 * row.granted) / row.quota) : 0}%` }} />
        </span>
      </>
    ),
  },
  {
    key: 'wanted',
    label: 'Wanted',
    track: '110px',
    number: true,
    cell: (row) => (
      <span
        className={isShort(row) ? classes.short : undefined}
        title={isShort(row) ? 'More than is granted' : undefined}
      >
        {units(row.kind, row.wanted)}
      </span>
    ),
  },
  amount('used', 'Used'),
  amount('safe', 'Safe'),
  {
    key: 'agents',
    label: 'Parts',
    track: '116px',
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
