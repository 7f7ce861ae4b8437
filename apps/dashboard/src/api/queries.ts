import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  Agent,
  Alert,
  AlertRulesState,
  Annotations,
  Decision,
  Draft,
  Environment,
  Feedback,
  LeasedQuota,
  LeaseShare,
  Leases,
  Me,
  Outcomes,
  OutcomesQuery,
  Page,
  PolicyState,
  PolicyVersion,
  QuotaRow,
  Receiver,
  Service,
  Silence,
  Status,
  Verdict,
  Verdicts,
} from '@weir/api'
import { type Answer, call, get, url } from './client.ts'
import { ApiProblem } from './problem.ts'

const SLOW_MS = 10_000
const VERDICT_MS = 5_000
/** Past so many agents the list is read less often: it is megabytes. Of one service the live socket tells what changed meanwhile. */
const MANY_AGENTS = 1_000
const MANY_AGENTS_MS = 30_000

/** Agents of one quota whose parts are shown. */
const SHARES_SHOWN = 500

/** Most pages read where a page shows a whole list: a bound, and said when it is met. */
const MOST_PAGES = 20

export interface Whole<T> {
  readonly items: readonly T[]
  /** The list goes on past what was read. */
  readonly cut: boolean
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

const whole = async <T>(segments: readonly string[], query: Query, signal: AbortSignal): Promise<Whole<T>> => {
  const items: T[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer: Page<T> = await get<Page<T>>(url(segments, { limit: 1000, ...query, cursor }), signal)
    items.push(...answer.items)
    cursor = answer.next
    if (cursor === null) return { items, cut: false }
  }
  return { items, cut: true }
}

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => get<Status>('/api/v1/status', signal),
  staleTime: 0,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => get<Me>('/api/v1/me', signal),
  staleTime: 60_000,
})

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: ({ signal }) => whole<Environment>(['environments'], {}, signal),
  staleTime: 30_000,
})

export const servicesQuery = (environment: string) =>
  queryOptions({
    queryKey: ['services', environment],
    queryFn: ({ signal }) => whole<Service>(['environments', environment, 'services'], {}, signal),
    refetchInterval: SLOW_MS,
  })

/** How services stand, the worst first, page by page; `search` narrows them down by a part of the name. */
export const verdictsQuery = (environment: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['verdicts', environment, search],
    queryFn: ({ signal, pageParam }) =>
      get<Verdicts>(url(['environments', environment, 'verdicts'], { search, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Verdicts) => page.next,
    refetchInterval: VERDICT_MS,
    placeholderData: keepPreviousData,
  })

/** How one service stands; `null`: it is not known. */
export const verdictQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['verdict', environment, service],
    queryFn: async ({ signal }): Promise<Verdict | null> => {
      const page = await get<Verdicts>(url(['environments', environment, 'verdicts'], { service }), signal)
      return page.items[0] ?? null
    },
    refetchInterval: VERDICT_MS,
  })

export const fetchAnnotations = (
  environment: string,
  asked: { readonly service: string | null; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<Annotations> => get<Annotations>(url(['environments', environment, 'annotations'], asked), signal)

/** Sampled refusals with everything that decided them, the newest first. */
export const fetchDecisions = (environment: string, asked: Query, signal: AbortSignal): Promise<Page<Decision>> =>
  get<Page<Decision>>(url(['environments', environment, 'decisions'], asked), signal)

const inService = (environment: string, service: string, ...rest: string[]): string[] => [
  'environments',
  environment,
  'services',
  service,
  ...rest,
]

export const serviceQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['service', environment, service],
    queryFn: ({ signal }) => call<Service>(url(inService(environment, service)), { signal }),
    refetchInterval: SLOW_MS,
  })

export const policyQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['policy', environment, service],
    queryFn: ({ signal }) => call<PolicyState>(url(inService(environment, service, 'policy')), { signal }),
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

/** The shared draft, or null where there is none. */
export const draftQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['draft', environment, service],
    queryFn: async ({ signal }): Promise<Answer<Draft> | null> => {
      try {
        return await call<Draft>(url(inService(environment, service, 'policy', 'draft')), { signal })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
    staleTime: 0,
  })

export const versionsQuery = (environment: string, service: string) =>
  infiniteQueryOptions({
    queryKey: ['versions', environment, service],
    queryFn: ({ signal, pageParam }) =>
      get<Page<PolicyVersion>>(
        url(inService(environment, service, 'policy', 'versions'), { limit: 50, cursor: pageParam }),
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<PolicyVersion>) => page.next,
  })

export const quotasQuery = (environment: string, service: string, search: string) =>
  queryOptions({
    queryKey: ['quotas', environment, service, search],
    queryFn: ({ signal }) => whole<QuotaRow>(inService(environment, service, 'quotas'), { search }, signal),
    placeholderData: keepPreviousData,
  })

export const leasesQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['leases', environment, service],
    queryFn: ({ signal }) => get<Leases>(url(inService(environment, service, 'leases')), signal),
    refetchInterval: 2_000,
  })

export const leaseSharesQuery = (
  environment: string,
  service: string,
  { kind, resource, tenant }: Pick<LeasedQuota, 'kind' | 'resource' | 'tenant'>,
) =>
  queryOptions({
    queryKey: ['lease-shares', environment, service, kind, resource, tenant],
    queryFn: async ({ signal }): Promise<Whole<LeaseShare>> => {
      const path = inService(environment, service, 'leases', kind, resource, tenant, 'agents')
      const page = await get<Page<LeaseShare>>(url(path, { limit: SHARES_SHOWN }), signal)
      return { items: page.items, cut: page.next !== null }
    },
    refetchInterval: 2_000,
  })

export const agentsQuery = (environment: string, service: string | null) =>
  queryOptions({
    queryKey: ['agents', environment, service],
    queryFn: ({ signal }) => whole<Agent>(['environments', environment, 'agents'], { service }, signal),
    refetchInterval: ({ state }) =>
      (state.data?.items.length ?? 0) > MANY_AGENTS ? MANY_AGENTS_MS : service === null ? 5_000 : SLOW_MS,
  })

export const feedbackQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['feedback', environment, service],
    queryFn: ({ signal }) => get<Feedback>(url(inService(environment, service, 'feedback')), signal),
    refetchInterval: 5_000,
  })

export const alertsQuery = (environment: string, service: string | null, state: 'firing' | 'resolved') =>
  queryOptions({
    queryKey: ['alerts', environment, service, state],
    queryFn: ({ signal }) =>
      get<Page<Alert>>(url(['environments', environment, 'alerts'], { state, service, limit: 200 }), signal),
    refetchInterval: SLOW_MS,
  })

export const silencesQuery = (environment: string) =>
  queryOptions({
    queryKey: ['silences', environment],
    queryFn: ({ signal }) => get<Page<Silence>>(url(['environments', environment, 'silences'], { limit: 200 }), signal),
    refetchInterval: SLOW_MS,
  })

export const receiversQuery = (environment: string) =>
  queryOptions({
    queryKey: ['receivers', environment],
    queryFn: ({ signal }) => get<{ items: Receiver[] }>(url(['environments', environment, 'receivers']), signal),
    refetchInterval: 5_000,
  })

export const alertRulesQuery = (environment: string) =>
  queryOptions({
    queryKey: ['alert-rules', environment],
    queryFn: ({ signal }) => call<AlertRulesState>(url(['environments', environment, 'alert-rules']), { signal }),
    staleTime: 0,
  })

export const fetchOutcomes = (environment: string, query: OutcomesQuery, signal: AbortSignal): Promise<Outcomes> =>
  get<Outcomes>(url(['environments', environment, 'outcomes'], query as Query), signal)
