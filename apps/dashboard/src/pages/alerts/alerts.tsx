import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { alertsQuery } from '../../api/queries.ts'
import type { AlertTab } from '../../app/search.ts'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import service from '../service/service.module.css'
import { Firing } from './firing.tsx'
import { ReceiversTab } from './receivers.tsx'
import { Resolved } from './resolved.tsx'
import { RulesTab } from './rules.tsx'
import { RunbookDrawer } from './runbook.tsx'
import { SilencesTab } from './silences.tsx'

const TABS: readonly { readonly tab: AlertTab | undefined; readonly label: string }[] = [
  { tab: undefined, label: 'Alerts' },
  { tab: 'silences', label: 'Silences' },
  { tab: 'receivers', label: 'Receivers' },
  { tab: 'rules', label: 'Rules' },
]

export const Alerts = () => {
  const { environment } = useParams({ from: '/app/e/$environment/alerts' })
  const { tab } = useSearch({ from: '/app/e/$environment/alerts' })
  return (
    <>
      <PageHead title="Alerts" sub="What somebody should know of, and whether it is control or collapse" />
      <nav aria-label="Alerts" className={service.tabs}>
        {TABS.map(({ tab: to, label }) => (
          <Link
            key={label}
            to="/e/$environment/alerts"
            params={{ environment }}
            search={to === undefined ? {} : { tab: to }}
            activeOptions={{ exact: true, includeSearch: true }}
            className={service.tab}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === undefined && <AlertLists environment={environment} />}
      {tab === 'silences' && <SilencesTab environment={environment} />}
      {tab === 'receivers' && <ReceiversTab environment={environment} />}
      {tab === 'rules' && <RulesTab environment={environment} />}
      <RunbookDrawer environment={environment} />
    </>
  )
}

const AlertLists = ({ environment }: { environment: string }) => {
  const firing = useQuery(alertsQuery(environment, null, 'firing'))
  const resolved = useQuery(alertsQuery(environment, null, 'resolved'))
  return (
    <>
      <Panel title="Firing" hint="By service, what wakes somebody first">
        <Ready query={firing}>
          {({ items, next }) =>
            items.length === 0 ? (
              <Empty title="No alert is firing">
                <p>Rules judge every gate, dependency and agent each five seconds.</p>
              </Empty>
            ) : (
              <>
                <Firing alerts={items} environment={environment} />
                {next !== null && <p className={ui.hint}>Only the newest {items.length} are shown.</p>}
              </>
            )
          }
        </Ready>
      </Panel>
      <Panel title="Resolved" hint="The newest first">
        <Ready query={resolved}>
          {({ items, next }) =>
            items.length === 0 ? (
              <p className={ui.hint}>None yet.</p>
            ) : (
              <>
                <Resolved alerts={items} environment={environment} />
                {next !== null && <p className={ui.hint}>Only the newest {items.length} are shown.</p>}
              </>
            )
          }
        </Ready>
      </Panel>
    </>
  )
}
