import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Subject } from '../../outcomes/subject.ts'
import { Failure, isAway, Loading } from '../../ui/states.tsx'
import { BreakdownPanel } from './breakdown.tsx'
import { Breakers } from './breakers.tsx'
import { Decisions } from './decisions.tsx'
import { DependencyCharts } from './dependency-charts.tsx'
import { RulePanel } from './rule-panel.tsx'
import { Spread } from './spread.tsx'
import { SubjectHead, UnknownSubject } from './subject-head.tsx'
import { TimeBar } from './time-bar.tsx'
import { changeBy, useStage } from './use-stage.ts'
import { useSubject } from './use-subject.ts'
import { WorkPanel } from './work-panel.tsx'

const ROUTE = '/app/e/$environment/s/$service/dependencies/$dependency'

/** One dependency, from the calling side: what became of the calls, breakers, bulkhead, retries and their budget, process by process. */
export const DependencyPage = () => {
  const { environment, service, dependency } = useParams({ from: ROUTE })
  const search = useSearch({ from: ROUTE })
  const change = changeBy(useNavigate({ from: '/e/$environment/s/$service/dependencies/$dependency' }))
  const subject: Subject = useMemo(() => ({ kind: 'dependency', name: dependency }), [dependency])
  const place = { environment, service, subject }
  const { names, rule, dependency: reported, standing } = useSubject(environment, service, subject)
  const { stage, work, annotations, at, step, show } = useStage(place, search, change)
  const here = standing === 'known' || (work.data?.series.length ?? 0) > 0
  if (!here)
    return standing === 'asking' || work.isPending ? <Loading rows={6} /> : <UnknownSubject {...place} names={names} />
  return (
    <>
      <SubjectHead {...place} names={names} search={search}>
        <Breakers reported={reported} />
      </SubjectHead>
      <TimeBar range={stage.range} step={step} search={search} onChange={change} onShow={show} />
      {work.error !== null && !isAway(work.error) && <Failure error={work.error} retry={() => void work.refetch()} />}
      <WorkPanel stage={stage} annotations={annotations} compared={search.compare} />
      <DependencyCharts stage={stage} processes={reported?.processes ?? 0} />
      <BreakdownPanel stage={stage} search={search} onChange={change} />
      <Decisions stage={stage} at={at} reason={search.why ?? null} onChange={change} />
      <Spread stage={stage} all={search.processes === 'all'} onChange={change} />
      <RulePanel {...place} rule={rule} />
    </>
  )
}
