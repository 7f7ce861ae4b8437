import { nameSchema } from '@weir/policy/schema'
import { z } from 'zod'

export const API = '/api/v1'

/** RFC 9457. `code` is a stable word of `PROBLEM_CODES`; `errors` names every problem of the input. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type ProblemDocument = z.infer<typeof problemSchema>

/** Stable error codes of REST, with their status. */
export const PROBLEM_CODES = {
  invalid: 400,
  'not-json': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  /** If-Match named a version that is no longer the present one; nothing was changed. */
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  /** A write needs If-Match (or If-None-Match: * to create). */
  'precondition-required': 428,
  'too-many-requests': 429,
  internal: 500,
  unavailable: 503,
} as const
export type ProblemCode = keyof typeof PROBLEM_CODES

/** `next` is an opaque cursor, `null` on the last page. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() })
export interface Page<T> {
  items: T[]
  next: string | null
}

export const pageQuerySchema = z.strictObject({
  cursor: z.string().max(512).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  search: z.string().max(128).optional(),
})
export type PageQuery = z.infer<typeof pageQuerySchema>

/** For lists that are looked at in any place of theirs: rows to pass over, instead of a cursor. */
export const offsetSchema = z.coerce.number().int().min(0).max(100_000).optional()
export const ONE_BEGINNING = [
  ({ cursor, offset }: { cursor?: string | undefined; offset?: number | undefined }) =>
    cursor === undefined || offset === undefined,
  { path: ['offset'], message: 'A page begins at a cursor or at an offset, not at both.' },
] satisfies [unknown, unknown]

export const timeSchema = z.iso.datetime({ offset: true })
/** Number of a policy's version: what a 32-bit column holds. */
export const versionSchema = z.int().min(0).max(2_147_483_647)
export const reasonSchema = z.string().trim().min(1, 'Say why: a reason is part of the history.').max(500)
export const problemListSchema = z.array(z.object({ path: z.string(), message: z.string() }))
export { nameSchema }
