import { type ArgumentMetadata, Injectable, StandardSchemaValidationPipe } from '@nestjs/common'
import { ProblemError } from './problem.ts'

/** Problems named in one answer; a hostile body has no more of them. */
const MOST_PROBLEMS = 100

/** Deepest body that is looked into; no schema of ours is as deep. */
const DEEPEST = 64

/**
 * Checks `@Body({ schema })`, `@Query({ schema })` and `@Param({ schema })`; every problem is named with its path.
 * A NUL is refused anywhere, since PostgreSQL has no text with one.
 */
@Injectable()
export class ValidationPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) =>
        invalid(
          issues.map((issue) => ({
            path: (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
            message: issue.message,
          })),
        ),
    })
  }

  override async transform<T>(value: T, metadata: ArgumentMetadata) {
    if (metadata.schema !== undefined) {
      const path = findNul(value, 0)
      if (path !== null) throw invalid([{ path, message: 'NUL characters cannot be stored.' }])
    }
    return super.transform(value, metadata)
  }
}

const invalid = (errors: { path: string; message: string }[]): ProblemError =>
  new ProblemError({
    code: 'invalid',
    detail: errors.length === 1 ? (errors[0]?.message ?? '') : `The request has ${errors.length} problems.`,
    errors: errors.slice(0, MOST_PROBLEMS),
  })

/** Path of the first text with a NUL, or of what is too deep to look into; `null` = none. */
const findNul = (value: unknown, depth: number): string | null => {
  if (typeof value === 'string') return value.includes('\0') ? '' : null
  if (value === null || typeof value !== 'object') return null
  if (depth > DEEPEST) return ''
  for (const [key, member] of Object.entries(value)) {
    const found = key.includes('\0') ? '' : findNul(member, depth + 1)
    if (found !== null) return found === '' ? key : `${key}.${found}`
  }
  return null
}
