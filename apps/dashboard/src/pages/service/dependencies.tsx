import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Reported } from '@weir/api'
import { reportedQuery } from '../../api/queries.ts'
import { Chart } from '../../charts/chart.tsx'
import { duration, short } from '../../format/numbers.ts'
import { useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { Panel } from '../../ui/panel.tsx'
import ui from '../../ui/ui.module.css'
import { Breakers } from './breakers.tsx'
import { answerLines, callLines, slotLines } from './dependency-lines.ts'
import classes from './service.module.css'
import { chartOn, type Stage } from './stage.ts'

/** Calls that the service makes, each dependency with books of its own: never added to the work of the gates. */
export const Dependencies = ({ stage }: { stage: Stage }) => {
  const { environment, service, range, board } = stage
  const history = useOutcomes(environment, { kind: 'dependency', service, groupBy: 'gate' }, range)
  useFill(board, history.data, (label) => `dependency:${label}`)
  const reported = useQuery(reportedQuery(environment, service)).data?.dependencies ?? []
  const names = new Set(history.data?.series.map(({ label }) => label) ?? [])
  for (const { name } of reported) names.add(name)
  if (names.size === 0) return null
  return (
    <>
      {[...names].sort().map((name) => (
        <Dependency key={name} name={name} stage={stage} reported={reported.find((one) => one.name === name)} />
      ))}
    </>
  )
}

type Told = Reported['dependencies'][number] | undefined

const Dependency = ({ name, stage, reported }: { name: string; stage: Stage; reported: Told }) => {
  const { environment, service } = stage
  const line = `dependency:${name}`
  const common = { ...chartOn(stage), height: 160, format: short }
  return (
    <Panel
      id={`dependency-${name}`}
      label={`Dependency ${name}`}
      title={
        <Link
          to="/e/$environment/s/$service/dependencies/$dependency"
          params={{ environment, service, dependency: name }}
          className={ui.link}
        >
          Dependency {name}
        </Link>
      }
      actions={<Breakers reported={reported} />}
    >
      <div className={classes.thirds}>
        <Chart title="Calls" unit="per second" lines={callLines(line)} {...common} />
        <Chart
          title="In flight against ceiling"
          unit="calls, all processes together"
          lines={slotLines(line)}
          {...common}
        />
        <Chart
          title="Answers"
          unit="from call to end"
          lines={answerLines(line)}
          least={0.001}
          {...common}
          format={duration}
        />
      </div>
    </Panel>
  )
}
