import { useQuery } from '@tanstack/react-query'
import type { Annotation } from '@weir/api'
import { useMemo } from 'react'
import { fetchAnnotations } from '../api/figures.ts'
import { useHub } from '../app/live.tsx'
import type { Mark } from '../charts/plot.ts'
import { boundsOf, isoOf, type Range, rangeKey } from './range.ts'

const AGAIN_MS = 15_000
const NONE: readonly Annotation[] = []

/** What happened in the time shown, as a list and as marks for charts. `service` `null`: of all services. */
export const useMarks = (
  environment: string,
  service: string | null,
  range: Range,
): { readonly annotations: readonly Annotation[]; readonly marks: readonly Mark[] } => {
  const hub = useHub()
  const query = useQuery({
    queryKey: ['annotations', environment, service, rangeKey(range)],
    queryFn: ({ signal }) => {
      const { from, to } = boundsOf(range, hub.serverSecond)
      return fetchAnnotations(environment, { service, from: isoOf(from), to: isoOf(to) }, signal)
    },
    refetchInterval: range.live ? AGAIN_MS : false,
  })
  const annotations = query.data?.items ?? NONE
  const marks = useMemo(
    () =>
      annotations.map(({ at, label, service: of, kind }) => ({
        second: Date.parse(at) / 1_000,
        label: service === null ? `${of} ${label}` : label,
        tone: kind === 'published' ? 'mark' : kind === 'alert-raised' ? 'bad' : 'good',
      })),
    [annotations, service],
  )
  return { annotations, marks }
}
