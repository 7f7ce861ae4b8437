import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type AlertTab, alertsSearch } from '../../app/search.ts'
import { PageHead } from '../../ui/panel.tsx'
import service from '../service/service.module.css'
import { AlertLists } from './lists.tsx'
import { ReceiversTab } from './receivers.tsx'
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
  const { tab, state, service: only } = useSearch({ from: '/app/e/$environment/alerts' })
  return (
    <>
      <PageHead title="Alerts" sub="What somebody should know of, and whether it is control or collapse" />
      <nav aria-label="Alerts" className={service.tabs}>
        {TABS.map(({ tab: to, label }) => (
          <Link
            key={label}
            to="/e/$environment/alerts"
            params={{ environment }}
            search={alertsSearch(to === undefined ? { state, service: only } : { tab: to })}
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
