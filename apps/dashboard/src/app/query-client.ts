import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiProblem } from '../api/problem.ts'

const LAST_TRY = 2

/** Queries try again where trying can help; a session that ended leads to the sign-in page. */
export const makeQueryClient = (onSignedOut: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiProblem && error.status === 401) onSignedOut()
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) =>
          failures < LAST_TRY && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
        retryDelay: (attempt) => Math.min(4_000, 500 * 2 ** attempt),
      },
    },
  })
