import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Failure, isAway } from '../../ui/states.tsx'
import { BreakdownPanel } from './breakdown.tsx'
import { Brokers } from './brokers.tsx'
import { Decisions } from './decisions.tsx'
import { Dependencies } from './dependencies.tsx'
import { Flaws } from './flaws.tsx'
import { GateCharts } from './gate-charts.tsx'
import { Gates } from './gates.tsx'
import { Spread } from './spread.tsx'
import { Standing } from './standing.tsx'
import { TimeBar } from './time-bar.tsx'
import { changeBy, useStage } from './use-stage.ts'
import { WorkPanel } from './work-panel.tsx'

/** All gates of a service together, and what it calls. */
export const ServiceFigures = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/' })
  const search = useSearch({ from: '/app/e/$environment/s/$service/' })
  const change = changeBy(useNavigate({ from: '/e/$environment/s/$service/' }))
  const { stage, work, annotations, at, step, show } = useStage({ environment, service, subject: null }, search, change)
  return (
    <>
      <Standing environment={environment} service={service} />
      <Flaws environment={environment} service={service} gate={null} />
      <Gates environment={environment} service={service} />
      <TimeBar range={stage.range} step={step} search={search} onChange={change} onShow={show} />
      {work.error !== null && !isAway(work.error) && <Failure error={work.error} retry={() => void work.refetch()} />}
      <WorkPanel stage={stage} annotations={annotations} compared={search.compare} />
      <BreakdownPanel stage={stage} search={search} onChange={change} />
      <Decisions stage={stage} at={at} reason={search.why ?? null} onChange={change} />
      <GateCharts stage={stage} />
      <Spread stage={stage} all={search.processes === 'all'} onChange={change} />
      <Dependencies stage={stage} />
      <Brokers environment={environment} service={service} />
    </>
  )
}
