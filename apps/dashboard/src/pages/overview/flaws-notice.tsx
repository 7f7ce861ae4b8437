import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flawsQuery } from '../../api/figures.ts'
import { Notice } from '../../ui/notice.tsx'
import ui from '../../ui/ui.module.css'

/** So many are named. */
const FEW = 5

/** Whose figures are wrong now, before anybody believes them. */
export const FlawsNotice = ({ environment }: { environment: string }) => {
  const { data = [] } = useQuery(flawsQuery(environment, null))
  const services = [...new Set(data.filter(({ off }) => off).map(({ service }) => service))].sort()
  if (services.length === 0) return null
  return (
    <Notice title="Some books do not add up">
      Figures are wrong of{' '}
      {services.slice(0, FEW).map((service, i) => (
        <span key={service}>
          {i > 0 && ', '}
          <Link to="/e/$environment/s/$service" params={{ environment, service }} hash="books" className={ui.link}>
            {service}
          </Link>
        </span>
      ))}
      {services.length > FEW && ` and ${services.length - FEW} more`}: what was counted is not what became of it.
    </Notice>
  )
}
