/** How a permit is ended. */
export type Ending = 'success' | 'failure' | 'dropped' | 'ignored'

/** Something was overloaded: too many requests, unavailable, a time-out below. */
const OVERLOADED = new Set([429, 503, 504])

/**
 * By status: 2xx and 3xx success; 429, 503 and 504 are an overload signal; other 5xx failed and teach nothing (a bug is no overload);
 * 4xx is finished work that teaches nothing.
 */
export const httpEnding = (status: number): Ending => {
  if (OVERLOADED.has(status)) return 'dropped'
  if (status >= 500) return 'failure'
  return status >= 400 ? 'ignored' : 'success'
}

/** The caller's own mistakes, as 4xx: CANCELLED, INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED. */
const CALLERS = new Set([1, 3, 5, 6, 7, 9, 10, 11, 12, 16])
/** DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const OVERLOADED_CODES = new Set([4, 8, 14])

/** By gRPC status code: OK success; overload codes an overload signal; the caller's mistakes teach nothing; all others failed. */
export const grpcEnding = (code: number): Ending => {
  if (code === 0) return 'success'
  if (OVERLOADED_CODES.has(code)) return 'dropped'
  return CALLERS.has(code) ? 'ignored' : 'failure'
}
