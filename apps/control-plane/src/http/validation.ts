import { StandardSchemaValidationPipe } from '@nestjs/common'
import { ProblemError } from './problem.ts'

/** Problems named in one answer; a hostile body has no more of them. */
const MOST_PROBLEMS = 100

/** Checks `@Body({ schema })`, `@Query({ schema })` and `@Param({ schema })`; every problem is named with its path. */
export const validationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) =>
      new ProblemError({
        code: 'invalid',
        detail: issues.length === 1 ? (issues[0]?.message ?? '') : `The request has ${issues.length} problems.`,
        errors: issues.slice(0, MOST_PROBLEMS).map((issue) => ({
          path: (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
          message: issue.message,
        })),
      }),
  })
