import { HISTOGRAMS, PEAKS, SUMS } from '../../features/outcomes/columns.ts'
import type { Figures, OutcomeQuery } from '../../features/outcomes/outcome-store.ts'
import type { Row } from '../../features/outcomes/roll-up.ts'

const KEY = ['environment', 'cut', 'kind', 'service', 'second', 'name', 'label', 'step'] as const
const COLUMNS = [...KEY, 'edge', ...SUMS, ...PEAKS, ...HISTOGRAMS]

const added = (column: string): string =>
  `${column} = CASE WHEN excluded.${column} IS NULL THEN o.${column} ELSE coalesce(o.${column}, 0) + excluded.${column} END`

/**
 * Adds rows to what is kept. $1: a JSON list of rows, what is zero left out. One parameter for all rows costs this process a tenth of what forty
 * arrays do. The order is the key's, so that two writers lock in the same one.
 */
export const ADD_ROWS = `INSERT INTO outcome AS o (${COLUMNS.join(', ')})
SELECT ${COLUMNS.join(', ')} FROM json_populate_recordset(NULL::outcome, $1::json)
ORDER BY ${KEY.join(', ')}
ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET edge = o.edge OR excluded.edge,
${SUMS.map(added).join(',\n')},
${PEAKS.map((column) => `${column} = greatest(o.${column}, excluded.${column})`).join(',\n')},
${HISTOGRAMS.map((column) => `${column} = outcome_add(o.${column}, excluded.${column})`).join(',\n')}`

/** Takes the identities that are new. $1: ids. */
export const TAKE_WINDOWS =
  'INSERT INTO outcome_window (id) SELECT id FROM unnest($1::uuid[]) AS id ORDER BY id ON CONFLICT DO NOTHING RETURNING id'

/** A row as JSON for `ADD_ROWS`. */
export const rowJson = (row: Row, step: number): object => {
  const { second, environment, service, kind, name, cut, label, edge } = row
  const json: Record<string, unknown> = { step, second, environment, service, kind, name, cut, label, edge }
  for (const [i, column] of SUMS.entries()) if (row.sums[i] !== 0) json[column] = row.sums[i]
  for (const [i, column] of PEAKS.entries()) if (!Number.isNaN(row.peaks[i])) json[column] = row.peaks[i]
  for (const column of HISTOGRAMS) {
    const counts = row.histograms[column]
    if (counts !== undefined) json[column] = [...counts]
  }
  return json
}

const FIGURES = [
  ...SUMS.map((column) => `sum(${column}) AS ${column}`),
  ...PEAKS.map((column) => `max(${column}) AS ${column}`),
  ...HISTOGRAMS.map((column) => `outcome_sum(${column}) AS ${column}`),
].join(', ')

const WHERE = `step = $1 AND environment = $2 AND kind = $3 AND cut = $4 AND second >= $5 AND second < $6
AND ($7::text IS NULL OR service = $7) AND ($8::text IS NULL OR name = $8) AND ($9::boolean IS NULL OR edge = $9)`
const parameters = (query: OutcomeQuery, cut: string): unknown[] => [
  query.step,
  query.environment,
  query.kind,
  cut,
  query.from,
  query.to,
  query.service,
  query.name,
  query.edge,
]

const labelOf = (query: OutcomeQuery): string => {
  if (query.labelBy === 'nothing') return `''`
  if (query.labelBy === 'service') return 'service'
  if (query.labelBy === 'label') return 'label'
  return query.service === null ? `service || '/' || name` : 'name'
}

export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

/** The heaviest series of a query, heaviest first: one more than asked for shows that there are more. */
export const heaviest = (query: OutcomeQuery): Statement => ({
  text: `SELECT ${labelOf(query)} AS label FROM outcome WHERE ${WHERE} GROUP BY 1
    ORDER BY sum(coalesce(offered, 0) + coalesce(calls, 0) + coalesce(shed, 0) + coalesce(expired, 0)) DESC, 1 LIMIT $10`,
  values: [...parameters(query, query.cut), query.maxSeries + 1],
})

/** Figures by bucket and series; labels that are not in `labels` are summed as `other`. */
export const figuresByBucket = (query: OutcomeQuery, labels: readonly string[]): Statement => ({
  text: `SELECT second - second % $10 AS second,
      CASE WHEN ${labelOf(query)} = ANY($11::text[]) THEN ${labelOf(query)} ELSE 'other' END AS label, ${FIGURES}
    FROM outcome WHERE ${WHERE} GROUP BY 1, 2`,
  values: [...parameters(query, query.cut), query.bucket, labels],
})

export const heardBuckets = (query: OutcomeQuery): Statement => ({
  text: `SELECT DISTINCT second - second % $10 AS second FROM outcome WHERE ${WHERE}`,
  values: [...parameters(query, 'total'), query.bucket],
})

export const totalFigures = (query: OutcomeQuery): Statement => ({
  text: `SELECT ${FIGURES} FROM outcome WHERE ${WHERE}`,
  values: parameters(query, 'total'),
})

/** $1: environments; $2, $3: seconds from, to (exclusive). */
export const SHEDDING = `SELECT environment, service, second, sum(coalesce(offered, 0)) AS offered,
    sum(coalesce(shed, 0) + coalesce(expired, 0)) AS refused
  FROM outcome WHERE step = 1 AND environment = ANY($1::text[]) AND cut = 'total' AND kind = 'gate' AND second >= $2 AND second < $3
  GROUP BY 1, 2, 3`

/** Figures of a row of the answer. */
export const figuresOf = (row: Readonly<Record<string, unknown>> | undefined): Figures =>
  Object.fromEntries([...SUMS, ...PEAKS, ...HISTOGRAMS].map((column) => [column, row?.[column] ?? null])) as Figures
