import { Button, Group, SegmentedControl, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { alertPagesQuery } from '../../api/queries.ts'
import { alertsSearch } from '../../app/search.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { useServiceNames } from '../../ui/use-service-names.ts'
import { Firing } from './firing.tsx'
import { Resolved } from './resolved.tsx'

const FROM = { from: '/app/e/$environment/alerts' } as const

export const AlertLists = ({ environment }: { environment: string }) => {
  const { state, service = null } = useSearch(FROM)
  return (
    <>
      <Filter environment={environment} />
      {state !== 'resolved' && <FiringPanel environment={environment} service={service} />}
      {state !== 'firing' && <ResolvedPanel environment={environment} service={service} />}
    </>
  )
}

const STATES = [
  { value: 'all', label: 'All' },
  { value: 'firing', label: 'Firing' },
  { value: 'resolved', label: 'Resolved' },
]

const Filter = ({ environment }: { environment: string }) => {
  const search = useSearch(FROM)
  const navigate = useNavigate({ from: '/e/$environment/alerts' })
  const { names, ...searching } = useServiceNames(environment, search.service)
  const set = (changed: { readonly state?: string; readonly service?: string | null }) =>
    void navigate({ search: alertsSearch({ ...search, ...changed }), replace: true })
  return (
    <Group gap="sm" mb="md" align="end">
      <SegmentedControl
        aria-label="State"
        size="sm"
        data={STATES}
        value={search.state ?? 'all'}
        onChange={(state) => set({ state })}
      />
      <Select
        aria-label="Service"
        placeholder="All services"
        searchable
        {...searching}
        clearable
        limit={100}
        nothingFoundMessage="No such service"
        w={260}
        data={[...new Set([...names, ...(search.service === undefined ? [] : [search.service])])]}
        value={search.service ?? null}
        onChange={(name) => set({ service: name })}
      />
    </Group>
  )
}

interface ListProps {
  readonly environment: string
  readonly service: string | null
}

const useAlerts = ({ environment, service }: ListProps, state: 'firing' | 'resolved') => {
  const query = useInfiniteQuery(alertPagesQuery(environment, service, state))
  const alerts = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const more = () => {
    if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
  }
  return { query, alerts, more }
}

const FiringPanel = (props: ListProps) => {
  const { query, alerts, more } = useAlerts(props, 'firing')
  return (
    <Panel title="Firing" hint="By service, what wakes somebody first">
      <Ready query={query}>
        {() =>
          alerts.length === 0 ? (
            <Empty title="No alert is firing">
              <p>Rules judge every gate, dependency and agent each five seconds.</p>
            </Empty>
          ) : (
            <>
              <Firing alerts={alerts} environment={props.environment} />
              {query.hasNextPage && (
                <Group gap="sm" mt="md">
                  <Button size="xs" variant="default" loading={query.isFetchingNextPage} onClick={more}>
                    Show older
                  </Button>
                  <span className={ui.hint}>The newest {alerts.length} are shown.</span>
                </Group>
              )}
            </>
          )
        }
      </Ready>
    </Panel>
  )
}

const ResolvedPanel = (props: ListProps) => {
  const { query, alerts, more } = useAlerts(props, 'resolved')
  return (
    <Panel title="Resolved" hint="The newest first">
      <Ready query={query}>
        {() =>
          alerts.length === 0 ? (
            <p className={ui.hint}>None yet.</p>
          ) : (
            <Resolved alerts={alerts} environment={props.environment} onEnd={more} />
          )
        }
      </Ready>
    </Panel>
  )
}
