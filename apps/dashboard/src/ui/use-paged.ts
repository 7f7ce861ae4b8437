import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'

interface Paged<P extends { readonly items: readonly unknown[] }, K extends QueryKey> {
  /** What the list is of: another one has another length. */
  readonly scope: string
  /** Rows of a page. */
  readonly size: number
  readonly queryOf: (page: number) => UseQueryOptions<P, Error, P, K>
  readonly lengthOf: (page: P) => number
}

/** While one scrolls, pages are asked for this often. */
const SCROLLING_MS = 80

/** Rows of a list of any length: only the pages in sight are read, and read again. A row that was not read yet is `undefined`. */
export const usePaged = <P extends { readonly items: readonly unknown[] }, K extends QueryKey>(list: Paged<P, K>) => {
  const { scope, size, queryOf, lengthOf } = list
  const [[first, last], setSight] = useState<readonly [number, number]>([0, 0])
  const pages = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const answers = useQueries({ queries: pages.map(queryOf) })
  const known = useRef<{ readonly scope: string; readonly page: P } | null>(null)
  const newest = answers.toSorted((a, b) => b.dataUpdatedAt - a.dataUpdatedAt)[0]?.data
  if (newest !== undefined) known.current = { scope, page: newest }
  const page = known.current?.scope === scope ? known.current.page : undefined
  const rows = new Array<P['items'][number] | undefined>(page === undefined ? 0 : lengthOf(page)).fill(undefined)
  for (const [i, { data }] of answers.entries())
    for (const [j, item] of (data?.items ?? []).entries()) {
      const place = (first + i) * size + j
      if (place < rows.length) rows[place] = item
    }
  const wanted = useRef<readonly [number, number]>([0, 0])
  const timer = useRef<number | undefined>(undefined)
  const onSight = useCallback(
    (from: number, to: number) => {
      wanted.current = [Math.floor(from / size), Math.floor(Math.max(from, to) / size)]
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined
        setSight((before) => (String(before) === String(wanted.current) ? before : wanted.current))
      }, SCROLLING_MS)
    },
    [size],
  )
  const failed = answers.find(({ error }) => error !== null)
  const refetch = () => Promise.all(answers.map((answer) => answer.refetch()))
  return { query: { data: page, error: failed?.error ?? null, refetch }, rows, onSight }
}
