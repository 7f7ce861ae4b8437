import { IconAlertTriangle, IconEye, IconFilter, IconPlayerPause, IconStack2 } from '@tabler/icons-react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Reported } from '@weir/api'
import { useMemo } from 'react'
import { plural } from '../../format/numbers.ts'
import type { Subject } from '../../outcomes/subject.ts'
import { State } from '../../ui/state.tsx'
import { Failure, isAway, Loading } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { BreakdownPanel } from './breakdown.tsx'
import { Decisions } from './decisions.tsx'
import { Flaws } from './flaws.tsx'
import { GateCharts } from './gate-charts.tsx'
import { RulePanel } from './rule-panel.tsx'
import { Spread } from './spread.tsx'
import { SubjectHead, UnknownSubject } from './subject-head.tsx'
import { TimeBar } from './time-bar.tsx'
import { changeBy, useStage } from './use-stage.ts'
import { useSubject } from './use-subject.ts'
import { WorkPanel } from './work-panel.tsx'

const ROUTE = '/app/e/$environment/s/$service/gates/$gate'

/** One gate: where its work went, why it was refused, how its processes differ, and the rule that it follows. */
export const GatePage = () => {
  const { environment, service, gate } = useParams({ from: ROUTE })
  const search = useSearch({ from: ROUTE })
  const change = changeBy(useNavigate({ from: '/e/$environment/s/$service/gates/$gate' }))
  const subject: Subject = useMemo(() => ({ kind: 'gate', name: gate }), [gate])
  const place = { environment, service, subject }
  const { names, rule, gate: reported, standing } = useSubject(environment, service, subject)
  const { stage, work, annotations, at, step, show } = useStage(place, search, change)
  const here = standing === 'known' || (work.data?.series.length ?? 0) > 0
  if (!here)
    return standing === 'asking' || work.isPending ? <Loading rows={6} /> : <UnknownSubject {...place} names={names} />
  return (
    <>
      <SubjectHead {...place} names={names} search={search}>
        <Reports reported={reported} />
      </SubjectHead>
      <Flaws environment={environment} service={service} gate={gate} />
      <TimeBar range={stage.range} step={step} search={search} onChange={change} onShow={show} />
      {work.error !== null && !isAway(work.error) && <Failure error={work.error} retry={() => void work.refetch()} />}
      <WorkPanel stage={stage} annotations={annotations} compared={search.compare} />
      <BreakdownPanel stage={stage} search={search} onChange={change} />
      <Decisions stage={stage} at={at} reason={search.why ?? null} onChange={change} />
      <GateCharts stage={stage} />
      <Spread stage={stage} all={search.processes === 'all'} onChange={change} />
      <RulePanel {...place} rule={rule} />
    </>
  )
}

const MODES = {
  enforce: { tone: 'good', icon: <IconFilter size={15} />, words: 'Enforced' },
  observe: { tone: 'warn', icon: <IconEye size={15} />, words: 'Observed, refuses nothing' },
  off: { tone: 'warn', icon: <IconPlayerPause size={15} />, words: 'Off' },
} as const

/** What its processes report now. */
const Reports = ({ reported }: { reported: Reported['gates'][number] | undefined }) => {
  if (reported === undefined) return <span className={ui.dim}>No live process reports it.</span>
  const { processes, level, forced } = reported
  const modes = (['enforce', 'observe', 'off'] as const).filter((mode) => reported.modes[mode] > 0)
  return (
    <>
      {modes.map((mode) => (
        <State key={mode} tone={MODES[mode].tone} icon={MODES[mode].icon}>
          {MODES[mode].words}
          {modes.length > 1 && ` in ${reported.modes[mode]}`}
        </State>
      ))}
      {forced > 0 && (
        <State tone="bad" icon={<IconAlertTriangle size={15} />}>
          WEIR_MODE beats the policy in {forced}
        </State>
      )}
      {level > 0 && (
        <State tone="warn" icon={<IconStack2 size={15} />}>
          Overload level {level}
        </State>
      )}
      <span className={ui.dim}>{plural(processes, 'process', 'processes')}</span>
    </>
  )
}
