import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  AgentState,
  Agents,
  Alert,
  AlertRulesState,
  Draft,
  Environment,
  Feedback,
  LeasedQuota,
  LeaseShare,
  Leases,
  Me,
  Page,
  PolicyState,
  PolicyVersion,
  QuotaRow,
  Receiver,
  Reported,
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
/** Rows of a page. */
export const AGENTS_PAGE = 50
export const VERDICTS_PAGE = 25
/** Of the services that could be chosen: the others are found by their name. */
const NAMES_SHOWN = 50

/** Past so many quotas they are read less often. */
const MANY_LEASES = 200

/** Agents of one quota whose parts are shown. */
const SHARES_SHOWN = 500

/** Most pages read where a page shows a whole list: a bound, and said when it is met. */
const MOST_PAGES = 20

export interface Whole<T> {
  readonly items: readonly T[]
  /** The list goes on past what was read. */
  readonly cut: boolean
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

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

/** Names of services with a part of the text in them. */
export const serviceNamesQuery = (environment: string, search: string) =>
  queryOptions({
    queryKey: ['services', environment, search],
    queryFn: async ({ signal }) => {
      const path = url(['environments', environment, 'services'], { search, limit: NAMES_SHOWN })
      return (await get<Page<Service>>(path, signal)).items.map(({ name }) => name)
    },
    placeholderData: keepPreviousData,
  })

/** How services stand, the worst first, a page of them; `search` narrows them down by a part of the name. */
export const verdictsQuery = (environment: string, search: string, page = 0) =>
  queryOptions({
    queryKey: ['verdicts', environment, search, page],
    queryFn: ({ signal }) =>
      get<Verdicts>(
        url(['environments', environment, 'verdicts'], { search, offset: page * VERDICTS_PAGE, limit: VERDICTS_PAGE }),
        signal,
      ),
    refetchInterval: VERDICT_MS,
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
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > MANY_LEASES ? SLOW_MS : 2_000),
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

export interface AgentsAsked {
  readonly service: string | null
  readonly state: AgentState
  readonly search: string
}

/** What needs a look first, a page of them. Of one service the live socket tells what changed meanwhile. */
export const agentsQuery = (environment: string, asked: AgentsAsked, page: number, limit = AGENTS_PAGE) =>
  queryOptions({
    queryKey: ['agents', environment, asked.service, asked.state, asked.search, page, limit],
    queryFn: ({ signal }) =>
      get<Agents>(
        url(['environments', environment, 'agents'], {
          ...asked,
          order: 'urgent',
          offset: page * limit,
          limit,
        }),
        signal,
      ),
    refetchInterval: asked.service === null ? 5_000 : SLOW_MS,
  })

/** What the live agents of a service say, in sum. */
export const reportedQuery = (environment: string, service: string) =>
  queryOptions({
    queryKey: ['reported', environment, service],
    queryFn: ({ signal }) => get<Reported>(url(inService(environment, service, 'reported')), signal),
    refetchInterval: 5_000,
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

/** The same page by page; `service` `null`: of all. */
export const alertPagesQuery = (environment: string, service: string | null, state: 'firing' | 'resolved') =>
  infiniteQueryOptions({
    queryKey: ['alerts', environment, service, state, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      get<Page<Alert>>(
        url(['environments', environment, 'alerts'], { state, service, limit: 200, cursor: pageParam }),
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<Alert>) => page.next,
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
