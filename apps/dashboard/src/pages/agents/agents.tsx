import { Group, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Agent, LiveMessage } from '@weir/api'
import { useCallback, useMemo } from 'react'
import { agentsQuery, type Whole } from '../../api/queries.ts'
import { useLiveMessages } from '../../app/live.tsx'
import { AGENT_FILTERS, type AgentFilter, type AgentsSearch } from '../../app/search.ts'
import { count, plural } from '../../format/numbers.ts'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { AgentsTable } from './agents-table.tsx'
import { chosenAgents, FILTERS, gateSums } from './filter.ts'

export const EnvironmentAgents = () => {
  const { environment } = useParams({ from: '/app/e/$environment/agents' })
  const search = useSearch({ from: '/app/e/$environment/agents' })
  const navigate = useNavigate({ from: '/e/$environment/agents' })
  return (
    <>
      <PageHead title="Agents" sub={`Every process of ${environment} that Weir runs in`} />
      <Agents
        environment={environment}
        service={null}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true })}
      />
    </>
  )
}

export const ServiceAgents = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/agents' })
  const search = useSearch({ from: '/app/e/$environment/s/$service/agents' })
  const navigate = useNavigate({ from: '/e/$environment/s/$service/agents' })
  return (
    <Agents
      environment={environment}
      service={service}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  )
}

interface AgentsProps {
  readonly environment: string
  readonly service: string | null
  readonly search: AgentsSearch
  readonly onSearch: (search: AgentsSearch) => void
}

/** Rows that changed are put into what was read, so that receipts show within a second of their arrival. */
const useLiveAgents = (environment: string, service: string | null): void => {
  const client = useQueryClient()
  useLiveMessages(
    useCallback(
      (message: LiveMessage) => {
        if (message.type !== 'agents' || message.service !== service) return
        client.setQueryData<Whole<Agent>>(agentsQuery(environment, service).queryKey, (before) => {
          if (before === undefined) return before
          const changed = new Map(message.agents.map((agent) => [agent.instance, agent]))
          const kept = before.items.map((agent) => changed.get(agent.instance) ?? agent)
          const known = new Set(before.items.map(({ instance }) => instance))
          return { ...before, items: [...kept, ...message.agents.filter(({ instance }) => !known.has(instance))] }
        })
      },
      [client, environment, service],
    ),
  )
}

const Agents = ({ environment, service, search, onSearch }: AgentsProps) => {
  const query = useQuery(agentsQuery(environment, service))
  useLiveAgents(environment, service)
  return (
    <Ready query={query}>
      {(data) => (
        <>
          <GatesPanel agents={data.items} />
          <Panel label="Agents">
            <Filter search={search} onSearch={onSearch} />
            <Listed data={data} search={search} withService={service === null} />
          </Panel>
        </>
      )}
    </Ready>
  )
}

const Filter = ({ search, onSearch }: Pick<AgentsProps, 'search' | 'onSearch'>) => (
  <Group gap="sm" mb="sm">
    <TextInput
      aria-label="Search agents"
      placeholder="Service, instance, host, zone"
      leftSection={<IconSearch size={15} />}
      size="sm"
      w={260}
      defaultValue={search.search ?? ''}
      onChange={(event) => {
        const text = event.currentTarget.value
        const { search: _, ...rest } = search
        onSearch(text === '' ? rest : { ...rest, search: text })
      }}
    />
    <Select
      aria-label="Show"
      size="sm"
      w={260}
      clearable
      placeholder="All that run"
      data={AGENT_FILTERS.map((value) => ({ value, label: FILTERS[value].label }))}
      value={search.show ?? null}
      onChange={(value) => {
        const { show: _, ...rest } = search
        const show = AGENT_FILTERS.find((one): one is AgentFilter => one === value)
        onSearch(show === undefined ? rest : { ...rest, show })
      }}
    />
  </Group>
)

const Listed = ({ data, search, withService }: { data: Whole<Agent>; search: AgentsSearch; withService: boolean }) => {
  const chosen = useMemo(() => chosenAgents(data.items, search.show, search.search ?? ''), [data, search])
  if (data.items.length === 0)
    return (
      <Empty title="No agent was heard of yet">
        <p>An agent appears here when a process starts with an agent key of its service. Keys are made under Access.</p>
      </Empty>
    )
  if (chosen.length === 0)
    return (
      <Empty title={`None of ${plural(data.items.length, 'agent')} matches`}>Widen the search or the filter.</Empty>
    )
  return (
    <>
      <p className={ui.hint} aria-live="polite">
        {count(chosen.length)} of {plural(data.items.length, 'agent')}
        {data.cut && ', and more that were not read: search to narrow them down'}
      </p>
      <AgentsTable agents={chosen} withService={withService} />
    </>
  )
}

const GatesPanel = ({ agents }: { agents: readonly Agent[] }) => {
  const sums = useMemo(() => gateSums(agents), [agents])
  if (sums.length === 0) return null
  return (
    <Panel
      title="Gates over all live processes"
      hint="A limit holds for one process; together they are limit times processes."
    >
      <div className={ui.scroll}>
        <table className={ui.table} style={{ minWidth: 620 }}>
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col" className={ui.number}>
                Processes
              </th>
              <th scope="col" className={ui.number}>
                Limit together
              </th>
              <th scope="col" className={ui.number}>
                In flight
              </th>
              <th scope="col" className={ui.number}>
                Waiting
              </th>
            </tr>
          </thead>
          <tbody>
            {sums.slice(0, 50).map((sum) => (
              <tr key={`${sum.service} ${sum.name}`}>
                <td>
                  {sum.service} <span className={ui.dim}>/</span> {sum.name}
                </td>
                <td className={ui.number}>{count(sum.processes)}</td>
                <td className={ui.number}>
                  {count(sum.limit)}{' '}
                  <span className={ui.dim}>
                    ({count(sum.limit / sum.processes)} × {count(sum.processes)})
                  </span>
                </td>
                <td className={ui.number}>{count(sum.active)}</td>
                <td className={ui.number}>{count(sum.waiting)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
