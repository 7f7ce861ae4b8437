import { ActionIcon, Group, NativeSelect, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell, IconCpu, IconKey, IconLayoutDashboard, IconPlus, IconServer2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { alertsQuery, environmentsQuery, meQuery, servicesQuery } from '../api/queries.ts'
import { firstEnvironment } from './environment.ts'
import { useRole } from './role.ts'
import classes from './shell.module.css'

/** On a page of no environment the links are those of the one looked at last. */
export const Navigation = ({ environment }: { environment: string | undefined }) => {
  const { data } = useQuery(environmentsQuery)
  const environments = data?.items ?? []
  const names = environments.map(({ name }) => name)
  const shown = environment ?? firstEnvironment(environments)?.name
  return (
    <>
      {names.length > 0 && <EnvironmentPicker names={names} environment={shown} />}
      {shown !== undefined && <EnvironmentLinks environment={shown} />}
      <AccessLink />
    </>
  )
}

const EnvironmentPicker = ({ names, environment }: { names: string[]; environment: string | undefined }) => {
  const navigate = useNavigate()
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <NativeSelect
        label="Environment"
        size="sm"
        flex={1}
        data={names}
        value={environment ?? ''}
        onChange={(event) =>
          void navigate({ to: '/e/$environment', params: { environment: event.currentTarget.value } })
        }
      />
      <AddEnvironment />
    </Group>
  )
}

const EnvironmentModal = lazy(() => import('./environment-modal.tsx'))

const AddEnvironment = () => {
  const { canAdmin } = useRole()
  const [opened, modal] = useDisclosure(false)
  if (!canAdmin) return null
  return (
    <>
      <Tooltip label="Add an environment">
        <ActionIcon variant="default" size={36} aria-label="Add an environment" onClick={modal.open}>
          <IconPlus size={16} />
        </ActionIcon>
      </Tooltip>
      <Suspense>{opened && <EnvironmentModal onClose={modal.close} />}</Suspense>
    </>
  )
}

const Item = ({ icon, text, extra }: { icon: ReactNode; text: string; extra?: ReactNode }) => (
  <>
    {icon}
    <span className={classes.navText}>{text}</span>
    {extra}
  </>
)

const EnvironmentLinks = ({ environment }: { environment: string }) => {
  const alerts = useQuery(alertsQuery(environment, null, 'firing'))
  const firing = alerts.data?.items.length ?? 0
  const params = { environment }
  return (
    <>
      <nav aria-label="Environment">
        <ul className={classes.nav}>
          <li>
            <Link
              to="/e/$environment"
              params={params}
              className={classes.navLink}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              <Item icon={<IconLayoutDashboard size={17} />} text="Overview" />
            </Link>
          </li>
          <li>
            <Link
              to="/e/$environment/agents"
              params={params}
              className={classes.navLink}
              activeOptions={{ includeSearch: false }}
            >
              <Item icon={<IconCpu size={17} />} text="Agents" />
            </Link>
          </li>
          <li>
            <Link
              to="/e/$environment/alerts"
              params={params}
              className={classes.navLink}
              activeOptions={{ includeSearch: false }}
            >
              <Item
                icon={<IconBell size={17} />}
                text="Alerts"
                extra={
                  firing > 0 && (
                    <span className={classes.navCount}>
                      {firing}
                      {alerts.data?.next == null ? '' : '+'} firing
                    </span>
                  )
                }
              />
            </Link>
          </li>
        </ul>
      </nav>
      <ServiceLinks environment={environment} />
    </>
  )
}

/** Past this the list is no menu any more: the overview's table lists them all. */
const MOST_LINKS = 40

const ServiceLinks = ({ environment }: { environment: string }) => {
  const { data } = useQuery(servicesQuery(environment))
  if (data === undefined || data.items.length === 0) return null
  return (
    <nav aria-label="Services">
      <span className={classes.navTitle}>Services</span>
      <ul className={classes.nav}>
        {data.items.slice(0, MOST_LINKS).map((service) => (
          <li key={service.name}>
            <Link
              to="/e/$environment/s/$service"
              params={{ environment, service: service.name }}
              className={classes.navLink}
              activeOptions={{ includeSearch: false }}
            >
              <Item
                icon={<IconServer2 size={17} />}
                text={service.name}
                extra={service.openAlerts > 0 && <IconBell size={14} color="var(--w-warn)" aria-label="has an alert" />}
              />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const AccessLink = () => {
  const { data: me } = useQuery(meQuery)
  if (me?.role !== 'admin') return null
  return (
    <nav aria-label="Administration">
      <ul className={classes.nav}>
        <li>
          <Link to="/access/$tab" params={{ tab: 'keys' }} className={classes.navLink} activeOptions={{ exact: false }}>
            <Item icon={<IconKey size={17} />} text="Access" />
          </Link>
        </li>
      </ul>
    </nav>
  )
}
