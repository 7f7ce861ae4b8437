import { PROBLEM_CODES, type ProblemCode, type ProblemDocument } from '@weir/api'
import type { Refusal, Result } from '../features/result.ts'

const TITLES: Record<ProblemCode, string> = {
  invalid: 'The request is not valid',
  'not-json': 'The body is not JSON',
  unauthenticated: 'Sign in first',
  forbidden: 'Not allowed',
  'not-found': 'Not found',
  conflict: 'Conflict',
  gone: 'No longer there',
  'precondition-failed': 'Changed by somebody else meanwhile',
  'too-large': 'Too large',
  'unsupported-media-type': 'Unsupported media type',
  'precondition-required': 'If-Match is missing',
  'too-many-requests': 'Too many requests',
  internal: 'Something went wrong here',
  unavailable: 'Not available now',
}

/** Thrown by the transport only; the filter answers it as application/problem+json. */
export class ProblemError extends Error {
  readonly refusal: Refusal
  readonly headers: Readonly<Record<string, string>>

  constructor(refusal: Refusal, headers: Readonly<Record<string, string>> = {}) {
    super(refusal.detail)
    this.refusal = refusal
    this.headers = headers
  }
}

/** The value of a result, or its refusal as a problem. */
export const orProblem = <T>(result: Result<T>): T => {
  if (result.ok) return result.value
  throw new ProblemError(result.refusal)
}

export const problemDocument = ({ code, detail, errors }: Refusal): ProblemDocument => ({
  type: 'about:blank',
  title: TITLES[code],
  status: PROBLEM_CODES[code],
  detail,
  code,
  ...(errors === undefined ? {} : { errors: [...errors] }),
})
