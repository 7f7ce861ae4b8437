import type { Reported } from '@weir/api'
import { MODES } from '@weir/policy/model'
import type { AgentRecord } from './agent-record.ts'

/** Of each kind: more than a policy may hold. */
const MOST = 500

type Said = Pick<AgentRecord, 'gates' | 'dependencies' | 'consumers' | 'modeOverride'>

/** What live agents say, in sum. Limits and ceilings are per process: what the fleet has is their sum. */
export const sumsOf = (agents: readonly Said[]): Reported => ({
  gates: gathered(
    agents.flatMap(({ gates, modeOverride }) => gates.map((gate) => ({ ...gate, modeOverride }))),
    ({ name }) => name,
    (name, reports) => ({
      name,
      processes: reports.length,
      limit: sum(reports, ({ limit }) => limit),
      inFlight: sum(reports, ({ active, zombies }) => active + zombies),
      waiting: sum(reports, ({ waiting }) => waiting),
      level: reports.reduce((highest, { level }) => Math.max(highest, level), 0),
      modes: Object.fromEntries(
        MODES.map((mode) => [mode, sum(reports, (report) => Number(report.mode === mode))]),
      ) as Reported['gates'][number]['modes'],
      forced: sum(reports, ({ modeOverride }) => Number(modeOverride !== null)),
    }),
  ),
  dependencies: gathered(
    agents.flatMap(({ dependencies }) => dependencies),
    ({ name }) => name,
    (name, reports) => ({
      name,
      processes: reports.length,
      open: sum(reports, ({ breaker }) => Number(breaker === 'open')),
      halfOpen: sum(reports, ({ breaker }) => Number(breaker === 'half-open')),
      budgetLeft: reports.reduce((least, { budgetLeft }) => Math.min(least, budgetLeft), Number.POSITIVE_INFINITY),
    }),
  ),
  consumers: gathered(
    agents.flatMap(({ consumers }) => consumers),
    ({ topic, gate }) => JSON.stringify([topic, gate]),
    (key, reports) => {
      const [topic, gate] = JSON.parse(key) as [string, string]
      return {
        gate,
        topic,
        processes: reports.length,
        paused: sum(reports, ({ paused }) => Number(paused)),
        inHand: sum(reports, ({ inHand }) => inHand),
        running: sum(reports, ({ running }) => running),
        lagMs: reports.reduce<number | null>(
          (longest, { lagMs }) => (lagMs === null ? longest : Math.max(longest ?? 0, lagMs)),
          null,
        ),
      }
    },
  ),
})

const gathered = <R, T>(reports: R[], keyOf: (report: R) => string, of: (key: string, reports: R[]) => T): T[] =>
  [...Map.groupBy(reports, keyOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST)
    .map(([key, same]) => of(key, same))

const sum = <R>(reports: readonly R[], of: (report: R) => number): number =>
  reports.reduce((all, report) => all + of(report), 0)
