import { useQuery } from '@tanstack/react-query'
import { verdictQuery } from '../../api/queries.ts'
import { verdictSentence } from '../../outcomes/verdict-words.ts'
import ui from '../../ui/ui.module.css'
import { VerdictState, Why } from '../../ui/verdict.tsx'
import { When } from '../../ui/when.tsx'
import classes from './service.module.css'

/** How the service stands now, whatever time is shown below. */
export const Standing = ({ environment, service }: { environment: string; service: string }) => {
  const { data } = useQuery(verdictQuery(environment, service))
  if (data === undefined || data === null) return null
  return (
    <section className={classes.standing} data-verdict={data.verdict} aria-label="How the service stands now">
      <div className={classes.standingWord}>
        <VerdictState verdict={data.verdict} />
        {data.since !== null && (
          <span className={ui.hint}>
            since <When time={data.since} />
          </span>
        )}
      </div>
      <div>
        <div className={classes.standingText}>{verdictSentence(data)}</div>
        <Why verdict={data} />
      </div>
    </section>
  )
}
