import type { SumColumn } from '../../features/outcomes/columns.ts'
import type { Moment } from '../../features/verdicts/judge.ts'
import { type CutRow, type DependencyRow, type Stretch, VerdictSource } from '../../features/verdicts/verdict-source.ts'
import { endMs, startOf } from './buckets.ts'
import type { Answer, MetricsEngine } from './metrics-engine.ts'
import * as promql from './promql.ts'

const CUTS = ['reason', 'class', 'tenant', 'revision'] as const
const OLDEST = 'oldest_age_ms'

type Summed = Exclude<keyof Moment, 'second' | 'oldestAgeMs'>
const MOMENT_OF: Readonly<Partial<Record<SumColumn, readonly [Summed, 1 | -1]>>> = {
  offered: ['offered', 1],
  accepted: ['accepted', 1],
  completed: ['goodput', 1],
  ignored: ['goodput', -1],
  shed: ['refused', 1],
  expired: ['refused', 1],
  late: ['endedBadly', 1],
  failed: ['endedBadly', 1],
  abandoned: ['endedBadly', 1],
}
const CALL_FIGURES = ['calls', 'failed', 'late', 'shed', 'breakers_open_integral', 'duration_sum', 'duration_counts']

/** The same sums out of a Prometheus-compatible engine. Buckets begin with the stretch. */
export class PrometheusVerdictSource extends VerdictSource {
  readonly #engine: MetricsEngine

  constructor(engine: MetricsEngine) {
    super()
    this.#engine = engine
  }

  override async moments(environment: string, { from, to }: Stretch, bucket: number): Promise<Map<string, Moment[]>> {
    const expression = promql.moments(environment, Object.keys(MOMENT_OF), OLDEST, bucket)
    const found = new Map<string, Map<number, MutableMoment>>()
    for (const { metric, values } of await this.#engine.range(
      expression,
      endMs(from, bucket),
      endMs(to - bucket, bucket),
      bucket,
    ))
      for (const [at, value] of values) {
        const own = found.get(metric.service ?? '') ?? new Map<number, MutableMoment>()
        found.set(metric.service ?? '', own)
        const second = startOf(at, bucket)
        const moment = own.get(second) ?? { ...NOTHING, second }
        own.set(second, moment)
        if (metric.figure === OLDEST) moment.oldestAgeMs = Math.max(moment.oldestAgeMs, Number(value))
        const [to, sign] = (metric.kind === 'gate' && MOMENT_OF[metric.figure as SumColumn]) || []
        if (to !== undefined) moment[to] += sign === -1 ? -Number(value) : Number(value)
      }
    return new Map([...found].map(([service, own]) => [service, [...own.values()].sort((a, b) => a.second - b.second)]))
  }

  override async cuts(environment: string, { from, to }: Stretch): Promise<CutRow[]> {
    const answers = await this.#engine.instant(promql.cuts(environment, CUTS, to - from), endMs(from, to - from))
    const rows = byPlace(answers, ['service', 'cut', 'label']).map(({ metric, sums }) => ({
      service: metric.service ?? '',
      cut: metric.cut as CutRow['cut'],
      label: metric.label ?? '',
      offered: sums.offered ?? 0,
      refused: (sums.shed ?? 0) + (sums.expired ?? 0),
    }))
    return rows.filter(({ cut, refused }) => cut === 'class' || refused > 0)
  }

  override async dependencies(environment: string, { from, to }: Stretch): Promise<DependencyRow[]> {
    const expression = promql.calls(environment, CALL_FIGURES, to - from)
    const answers = await this.#engine.instant(expression, endMs(from, to - from))
    return byPlace(answers, ['service', 'name']).map(({ metric, sums }) => ({
      service: metric.service ?? '',
      name: metric.name ?? '',
      calls: sums.calls ?? 0,
      failed: (sums.failed ?? 0) + (sums.late ?? 0),
      refused: sums.shed ?? 0,
      breakersOpen: (sums.breakers_open_integral ?? 0) / (to - from),
      meanMs: sums.duration_counts ? (1000 * (sums.duration_sum ?? 0)) / sums.duration_counts : null,
    }))
  }
}

type MutableMoment = { -readonly [K in keyof Moment]: Moment[K] }
const NOTHING = { offered: 0, accepted: 0, goodput: 0, refused: 0, endedBadly: 0, oldestAgeMs: 0 }

/** Figures of an instant, together by the labels that tell places apart. */
const byPlace = (answers: readonly Answer[], labels: readonly string[]) => {
  const found = new Map<string, { readonly metric: Answer['metric']; readonly sums: Record<string, number> }>()
  for (const { metric, values } of answers) {
    const key = JSON.stringify(labels.map((label) => metric[label]))
    const place = found.get(key) ?? { metric, sums: {} }
    place.sums[metric.figure ?? ''] = Number(values[0]?.[1] ?? 0)
    found.set(key, place)
  }
  return [...found.values()]
}
