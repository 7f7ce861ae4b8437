import { ActionIcon, Group, NativeSelect, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconBell, IconCpu, IconKey, IconLayoutDashboard, IconPlus, IconSearch, IconServer2 } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Verdict } from '@weir/api'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { alertsQuery, environmentsQuery, meQuery, verdictsQuery } from '../api/queries.ts'
import { firstEnvironment } from './environment.ts'
import { menuOf } from './menu.ts'
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

/** Past this the list is no menu any more: the others are found by their name. */
const MOST_LINKS = 14
const TYPING_MS = 200
const SLOW_MS = 10_000

const ServiceLinks = ({ environment }: { environment: string }) => {
  const { service: open } = useParams({ strict: false })
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever has found one wants the menu again
  useEffect(() => setText(''), [open, environment])
  const { data } = useQuery({
    ...verdictsQuery(environment, asked),
    refetchInterval: SLOW_MS,
    placeholderData: keepPreviousData,
  })
  const total = Object.values(data?.counts ?? {}).reduce((sum, some) => sum + some, 0)
  if (data === undefined || total === 0) return null
  const { urgent, others, more } = menuOf(data, MOST_LINKS)
  const unlisted =
    asked === '' && open !== undefined && ![...urgent, ...others].some(({ service }) => service.name === open)
  return (
    <nav aria-label="Services">
      <span className={classes.navTitle}>Services</span>
      {total > MOST_LINKS && (
        <TextInput
          size="xs"
          mt={6}
          aria-label="Find a service"
          placeholder={`Find one of ${total}`}
          leftSection={<IconSearch size={14} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul className={classes.nav}>
        {unlisted && <ServiceLink environment={environment} name={open} />}
        {urgent.map((verdict) => (
          <ServiceLink
            key={verdict.service.name}
            environment={environment}
            name={verdict.service.name}
            verdict={verdict}
          />
        ))}
        {urgent.length > 0 && others.length > 0 && <li className={classes.navRule} />}
        {others.map(({ service: { name } }) => (
          <ServiceLink key={name} environment={environment} name={name} />
        ))}
      </ul>
      {data.found === 0 && <p className={classes.navHint}>None is called that</p>}
      {more > 0 && (
        <Link to="/e/$environment" params={{ environment }} search={allOf(asked)} className={classes.navHint}>
          {more} more
        </Link>
      )}
    </nav>
  )
}

const allOf = (search: string) =>
  search === '' ? ({ services: 'all' } as const) : ({ services: 'all', search } as const)

const ServiceLink = ({ environment, name, verdict }: { environment: string; name: string; verdict?: Verdict }) => (
  <li>
    <Link
      to="/e/$environment/s/$service"
      params={{ environment, service: name }}
      className={classes.navLink}
      activeOptions={{ includeSearch: false }}
    >
      <Item
        icon={<IconServer2 size={17} />}
        text={name}
        extra={
          verdict !== undefined && (
            <>
              {verdict.service.openAlerts > 0 && <IconBell size={14} color="var(--w-warn)" aria-label="has an alert" />}
              <span className={classes.navState} data-verdict={verdict.verdict}>
                {WORDS[verdict.verdict]}
              </span>
            </>
          )
        }
      />
    </Link>
  </li>
)

/** Of a healthy one its bell says why it is there. */
const WORDS: Readonly<Record<Verdict['verdict'], string>> = {
  collapse: 'collapse',
  silent: 'silent',
  shedding: 'sheds',
  healthy: '',
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
