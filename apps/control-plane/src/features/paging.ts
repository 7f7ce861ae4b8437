/** Rows after `after`, at most `limit`; `search` is a part of a name. */
export interface PageRequest<Key> {
  readonly after: Key | null
  readonly limit: number
  readonly search?: string | undefined
}

/** A page; `more` tells that the list goes on. */
export interface Rows<T> {
  readonly items: readonly T[]
  readonly more: boolean
}

/** Cuts what a query for `limit + 1` rows gave. */
export const rowsOf = <Row, T>(rows: readonly Row[], limit: number, map: (row: Row) => T): Rows<T> => ({
  items: rows.slice(0, limit).map(map),
  more: rows.length > limit,
})
