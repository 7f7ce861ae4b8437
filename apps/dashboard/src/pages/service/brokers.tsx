import { IconArrowBackUp, IconArrowDown, IconCircleCheck, IconHelpCircle, IconPlayerPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { FeedbackRow, Reported } from '@weir/api'
import type { ReactNode } from 'react'
import { feedbackQuery, reportedQuery } from '../../api/queries.ts'
import { duration, plural } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import { State, type Tone } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import { ruleSentence } from './broker-lines.ts'

/** What the service consumes, and what its rules of feedback do now. Nothing is shown where it has neither. */
export const Brokers = ({ environment, service }: { environment: string; service: string }) => {
  const reported = useQuery(reportedQuery(environment, service))
  const feedback = useQuery(feedbackQuery(environment, service))
  const consumed = reported.data?.consumers ?? []
  const rules = feedback.data?.items ?? []
  return (
    <>
      {consumed.length > 0 && (
        <Panel title="Consumers" hint="How far each is behind: the age of the oldest message that waits for it.">
          {consumed.map((one) => (
            <ConsumerLine key={`${one.gate} ${one.topic}`} {...one} />
          ))}
        </Panel>
      )}
      {rules.length > 0 && (
        <Panel title="Feedback" hint="Consumers that lag make the quotas of those who feed them smaller.">
          {rules.map((row) => (
            <RuleLine key={row.topic} row={row} />
          ))}
        </Panel>
      )}
    </>
  )
}

const ConsumerLine = ({ topic, gate, lagMs, inHand, running, paused, processes }: Reported['consumers'][number]) => (
  <div className={ui.tags}>
    {paused > 0 ? (
      <State tone="warn" icon={<IconPlayerPause size={15} />}>
        {topic} paused in {plural(paused, 'process', 'processes')}
      </State>
    ) : (
      <State tone={lagMs === null ? 'dim' : 'good'} icon={<IconCircleCheck size={15} />}>
        {topic}
      </State>
    )}
    <span>
      {lagMs === null ? 'Lag unknown: no broker' : `${duration(lagMs / 1_000)} behind`}, {running} running, {inHand} in
      hand
    </span>
    <span className={ui.dim}>
      gate {gate}, {plural(processes, 'process', 'processes')}
    </span>
  </div>
)

const LOOKS: Record<FeedbackRow['phase'], readonly [Tone, ReactNode]> = {
  whole: ['good', <IconCircleCheck key="i" size={15} />],
  cutting: ['bad', <IconArrowDown key="i" size={15} />],
  holding: ['warn', <IconPlayerPause key="i" size={15} />],
  returning: ['warn', <IconArrowBackUp key="i" size={15} />],
  unknown: ['dim', <IconHelpCircle key="i" size={15} />],
}

const RuleLine = ({ row }: { row: FeedbackRow }) => {
  const [tone, icon] = LOOKS[row.phase]
  const { state, why } = ruleSentence(row)
  return (
    <div className={ui.tags}>
      <State tone={tone} icon={icon}>
        {state}
      </State>
      <span className={ui.dim}>{why}</span>
    </div>
  )
}
