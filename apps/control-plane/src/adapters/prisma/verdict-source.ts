import { Injectable } from '@nestjs/common'
import type { Moment } from '../../features/verdicts/judge.ts'
import { type CutRow, type DependencyRow, type Stretch, VerdictSource } from '../../features/verdicts/verdict-source.ts'
import { Database } from './database.ts'

const WHERE = `environment = $1 AND second >= $2 AND second < $3 AND step = $4`

/** Sum over gates; a service that only calls others is heard by its calls, with no work of its own. */
const atGates = (figures: string): string => `sum(CASE WHEN kind = 'gate' THEN ${figures} ELSE 0 END)`

const MOMENTS = `SELECT service, second - second % $5 AS second,
    ${atGates('coalesce(offered, 0)')} AS offered,
    ${atGates('coalesce(accepted, 0)')} AS accepted,
    ${atGates('coalesce(completed, 0) - coalesce(ignored, 0)')} AS goodput,
    ${atGates('coalesce(shed, 0) + coalesce(expired, 0)')} AS refused,
    ${atGates('coalesce(late, 0) + coalesce(failed, 0) + coalesce(abandoned, 0)')} AS "endedBadly",
    coalesce(max(oldest_age_ms), 0) AS "oldestAgeMs"
  FROM outcome WHERE ${WHERE} AND kind IN ('gate', 'dependency') AND cut = 'total' GROUP BY 1, 2 ORDER BY 1, 2`

const CUTS = `SELECT service, cut, label, sum(coalesce(offered, 0)) AS offered, sum(coalesce(shed, 0) + coalesce(expired, 0)) AS refused
  FROM outcome WHERE ${WHERE} AND kind = 'gate' AND cut IN ('reason', 'class', 'tenant', 'revision')
  GROUP BY 1, 2, 3 HAVING cut = 'class' OR sum(coalesce(shed, 0) + coalesce(expired, 0)) > 0`

const DEPENDENCIES = `SELECT service, name, sum(coalesce(calls, 0)) AS calls,
    sum(coalesce(failed, 0) + coalesce(late, 0)) AS failed,
    sum(coalesce(shed, 0)) AS refused,
    sum(coalesce(breakers_open_integral, 0)) / ($3::float8 - $2::float8) AS "breakersOpen",
    1000 * sum(duration_sum) / nullif(sum((SELECT sum(n) FROM unnest(duration_counts) AS n)), 0) AS "meanMs"
  FROM outcome WHERE ${WHERE} AND kind = 'dependency' AND cut = 'total' GROUP BY 1, 2`

/** Roll-ups that a bucket is made of: those of a minute where it is as long. */
const FINE_STEP = 10
const COARSE_STEP = 60

/** Sums of the roll-ups over all services of an environment at once; no histogram is merged for it. */
@Injectable()
export class PrismaVerdictSource extends VerdictSource {
  constructor(private readonly database: Database) {
    super()
  }

  override async moments(environment: string, { from, to }: Stretch, bucket: number): Promise<Map<string, Moment[]>> {
    const step = bucket < COARSE_STEP ? FINE_STEP : COARSE_STEP
    const { rows } = await this.database.pool.query<Moment & { service: string; second: string }>({
      name: 'verdict-moments',
      text: MOMENTS,
      values: [environment, from, to, step, bucket],
    })
    const found = new Map<string, Moment[]>()
    for (const { service, second, ...figures } of rows) {
      const own = found.get(service) ?? []
      found.set(service, own)
      own.push({ second: Number(second), ...figures })
    }
    return found
  }

  override async cuts(environment: string, stretch: Stretch): Promise<CutRow[]> {
    return this.#rows<CutRow>(CUTS, environment, stretch)
  }

  override async dependencies(environment: string, stretch: Stretch): Promise<DependencyRow[]> {
    return this.#rows<DependencyRow>(DEPENDENCIES, environment, stretch)
  }

  async #rows<T extends object>(text: string, environment: string, { from, to }: Stretch): Promise<T[]> {
    const { rows } = await this.database.pool.query<T>(text, [environment, from, to, FINE_STEP])
    return rows
  }
}
