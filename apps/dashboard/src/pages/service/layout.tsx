import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { serviceQuery } from '../../api/queries.ts'
import { PageHead } from '../../ui/panel.tsx'
import { State } from '../../ui/state.tsx'
import { Failure } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { AgentsState } from '../overview/services-table.tsx'
import classes from './service.module.css'

const TABS = [
  { to: '/e/$environment/s/$service', label: 'Figures' },
  { to: '/e/$environment/s/$service/policy', label: 'Policy' },
  { to: '/e/$environment/s/$service/history', label: 'History' },
  { to: '/e/$environment/s/$service/quotas', label: 'Quotas' },
  { to: '/e/$environment/s/$service/agents', label: 'Agents' },
] as const

export const ServiceLayout = () => {
  const params = useParams({ from: '/app/e/$environment/s/$service' })
  const query = useQuery(serviceQuery(params.environment, params.service))
  const service = query.data?.data
  const { gate, dependency } = useParams({ strict: false })
  const inFigures = gate !== undefined || dependency !== undefined
  return (
    <>
      <PageHead
        title={params.service}
        sub={
          <>
            <Link to="/e/$environment" params={params} className={ui.link}>
              {params.environment}
            </Link>
            {service !== undefined && <PolicyState service={service} />}
          </>
        }
      >
        {service !== undefined && (
          <div className={ui.tags}>
            {service.openAlerts > 0 && (
              <State tone="warn" icon={<IconBell size={15} />}>
                {service.openAlerts} firing
              </State>
            )}
            <AgentsState agents={service.agents} />
          </div>
        )}
      </PageHead>
      <nav aria-label="Service" className={classes.tabs}>
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={params}
            className={classes.tab}
            activeOptions={{ exact: true, includeSearch: false }}
            {...(inFigures && label === 'Figures' ? { 'data-status': 'active' } : {})}
          >
            {label}
          </Link>
        ))}
      </nav>
      {query.error !== null && service === undefined ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Outlet />
      )}
    </>
  )
}

const PolicyState = ({
  service,
}: {
  service: { policyVersion: number; revision: number; publishedAt: string | null }
}) =>
  service.policyVersion === 0 ? (
    <>, no policy published: agents observe and refuse nothing</>
  ) : (
    <>
      , policy version {service.policyVersion}, revision {service.revision}
      {service.publishedAt !== null && (
        <>
          , published <When time={service.publishedAt} />
        </>
      )}
    </>
  )
