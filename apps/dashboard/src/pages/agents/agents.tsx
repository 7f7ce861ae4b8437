import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Agents as AgentsPage, AgentTally, LiveMessage } from '@weir/api'
import { useCallback } from 'react'
import { AGENTS_PAGE, type AgentsAsked, agentsQuery, reportedQuery } from '../../api/queries.ts'
import { useLiveMessages } from '../../app/live.tsx'
import { AGENT_FILTERS, type AgentsSearch } from '../../app/search.ts'
import { count, plural } from '../../format/numbers.ts'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Empty, Loading, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { usePaged } from '../../ui/use-paged.ts'
import classes from './agents.module.css'
import { AgentsTable } from './agents-table.tsx'
import { FILTERS } from './filter.ts'

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
    <>
      <GatesPanel environment={environment} service={service} />
      <Agents
        environment={environment}
        service={service}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true })}
      />
    </>
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
        const changed = new Map(message.agents.map((agent) => [agent.instance, agent]))
        client.setQueriesData<AgentsPage>(
          { queryKey: ['agents', environment, service] },
          (page) => page && { ...page, items: page.items.map((agent) => changed.get(agent.instance) ?? agent) },
        )
      },
      [client, environment, service],
    ),
  )
}

const TYPING_MS = 250

const Agents = ({ environment, service, search, onSearch }: AgentsProps) => {
  useLiveAgents(environment, service)
  const state = search.show ?? 'running'
  const [typed] = useDebouncedValue(search.search ?? '', TYPING_MS)
  const asked: AgentsAsked = { service, state, search: typed.trim() }
  const { query, rows, onSight } = usePaged({
    scope: JSON.stringify([environment, service]),
    size: AGENTS_PAGE,
    queryOf: (page) => agentsQuery(environment, asked, page),
    lengthOf: ({ counts }) => counts[state],
  })
  return (
    <Panel label="Agents">
      <Filter search={search} onSearch={onSearch} counts={query.data?.counts} />
      <Ready query={query} loading={<Loading rows={8} height={44} />}>
        {({ counts }) =>
          rows.length === 0 ? (
            <Nothing counts={counts} asked={asked} />
          ) : (
            <>
              <p className={ui.hint} aria-live="polite">
                {plural(rows.length, 'agent')}
                {asked.search !== '' && ' found'}, what needs a look first
              </p>
              <AgentsTable agents={rows} withService={service === null} onSight={onSight} />
            </>
          )
        }
      </Ready>
    </Panel>
  )
}

const Nothing = ({ counts, asked }: { counts: AgentTally; asked: AgentsAsked }) => {
  if (asked.search !== '') return <Empty title={`No agent matches “${asked.search}”`}>Search for less of it.</Empty>
  if (counts.all > 0) return <Empty title={`None of ${plural(counts.all, 'agent')} is like that`} />
  return (
    <Empty title="No agent was heard of yet">
      <p>An agent appears here when a process starts with an agent key of its service. Keys are made under Access.</p>
    </Empty>
  )
}

const Filter = ({
  search,
  onSearch,
  counts,
}: Pick<AgentsProps, 'search' | 'onSearch'> & { counts: AgentTally | undefined }) => {
  const { show: chosen, ...others } = search
  const choices = [
    { state: 'running', label: 'All that run', of: others } as const,
    ...AGENT_FILTERS.map((state) => ({ state, label: FILTERS[state], of: { ...others, show: state } })),
  ]
  return (
    <div className={classes.filter}>
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
      <fieldset className={classes.states} aria-label="Show">
        {choices.map(({ state, label, of }) => (
          <button
            type="button"
            key={state}
            className={classes.state}
            aria-pressed={(chosen ?? 'running') === state}
            data-none={counts !== undefined && counts[state] === 0}
            onClick={() => onSearch(of)}
          >
            {label} <b>{counts === undefined ? '' : count(counts[state])}</b>
          </button>
        ))}
      </fieldset>
    </div>
  )
}

const GatesPanel = ({ environment, service }: { environment: string; service: string }) => {
  const { data } = useQuery(reportedQuery(environment, service))
  if (data === undefined || data.gates.length === 0) return null
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
            {data.gates.map(({ name, processes, limit, inFlight, waiting }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className={ui.number}>{count(processes)}</td>
                <td className={ui.number}>
                  {count(limit)}{' '}
                  <span className={ui.dim}>
                    ({count(limit / processes)} × {count(processes)})
                  </span>
                </td>
                <td className={ui.number}>{count(inFlight)}</td>
                <td className={ui.number}>{count(waiting)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
