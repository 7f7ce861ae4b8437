import type { Page, PageQuery } from '@weir/api'
import { z } from 'zod'
import type { PageRequest, Rows } from '../features/paging.ts'
import { ProblemError } from './problem.ts'

/** A cursor is the last row's key, opaque on purpose: base64url of JSON. */
export const encodeCursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url')

/** Reads `?cursor=&limit=&search=` where rows are ordered by a key of this shape. */
export const pageRequest = <Key>(query: PageQuery, key: z.ZodType<Key>): PageRequest<Key> => {
  const { limit, search } = query
  if (query.cursor === undefined) return { after: null, limit, search }
  const read = key.safeParse(decode(query.cursor))
  if (!read.success) throw new ProblemError({ code: 'invalid', detail: 'The cursor is not one that was given out.' })
  return { after: read.data, limit, search }
}

const decode = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'), withoutNul)
  } catch {
    return undefined
  }
}

/** PostgreSQL has no text with a NUL, so none was given out. */
const withoutNul = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? undefined : value

export const pageAnswer = <T>({ items, more }: Rows<T>, keyOf: (last: T) => unknown): Page<T> => {
  const last = items.at(-1)
  return { items: [...items], next: more && last !== undefined ? encodeCursor(keyOf(last)) : null }
}

/** Keys of lists that are ordered by a name or an id. */
export const textKey = z.string().max(256)
