import { Link, useParams } from '@tanstack/react-router'
import { useRole } from '../../app/role.ts'
import { PageHead } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import service from '../service/service.module.css'
import { AuditLog } from './audit.tsx'
import { Keys } from './keys.tsx'
import { Operators } from './operators.tsx'
import { Tokens } from './tokens.tsx'

const TABS = [
  { tab: 'keys', label: 'Agent keys', view: Keys },
  { tab: 'tokens', label: 'API tokens', view: Tokens },
  { tab: 'operators', label: 'Operators', view: Operators },
  { tab: 'audit', label: 'Audit', view: AuditLog },
] as const

export const Access = () => {
  const { tab } = useParams({ from: '/app/access/$tab' })
  const { canAdmin } = useRole()
  const View = TABS.find((one) => one.tab === tab)?.view ?? Keys
  return (
    <>
      <PageHead title="Access" sub="Who may speak for a service, who may look and who may change" />
      {canAdmin ? (
        <>
          <nav aria-label="Access" className={service.tabs}>
            {TABS.map(({ tab: to, label }) => (
              <Link key={to} to="/access/$tab" params={{ tab: to }} className={service.tab}>
                {label}
              </Link>
            ))}
          </nav>
          <View />
        </>
      ) : (
        <Empty title="This page is for admins">Ask one of them for a key, a token or another role.</Empty>
      )}
    </>
  )
}
