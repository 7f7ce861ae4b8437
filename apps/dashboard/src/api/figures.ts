import { queryOptions } from '@tanstack/react-query'
import type { Annotations, Decision, Flaw, Outcomes, OutcomesQuery, Page } from '@weir/api'
import { get, url } from './client.ts'
import type { Query } from './queries.ts'

const FLAWS_MS = 5_000

export const fetchOutcomes = (environment: string, query: OutcomesQuery, signal: AbortSignal): Promise<Outcomes> =>
  get<Outcomes>(url(['environments', environment, 'outcomes'], query as Query), signal)

export const fetchAnnotations = (
  environment: string,
  asked: { readonly service: string | null; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<Annotations> => get<Annotations>(url(['environments', environment, 'annotations'], asked), signal)

/** Sampled refusals with everything that decided them, the newest first. */
export const fetchDecisions = (environment: string, asked: Query, signal: AbortSignal): Promise<Page<Decision>> =>
  get<Page<Decision>>(url(['environments', environment, 'decisions'], asked), signal)

/** Gates whose books did not add up in the last hour, of one service or of all, the latest first. */
export const flawsQuery = (environment: string, service: string | null) =>
  queryOptions({
    queryKey: ['flaws', environment, service],
    queryFn: async ({ signal }) => {
      const path = url(['environments', environment, 'outcomes', 'flaws'], { service })
      return (await get<{ items: Flaw[] }>(path, signal)).items
    },
    refetchInterval: FLAWS_MS,
  })
