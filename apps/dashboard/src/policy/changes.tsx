import { IconArrowsDiff, IconMinus, IconPlus, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Change, Diff } from '@weir/api'
import { call, url } from '../api/client.ts'
import { plural } from '../format/numbers.ts'
import { State } from '../ui/state.tsx'
import { Loading, Ready } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import classes from './policy.module.css'

interface DiffWanted {
  readonly environment: string
  readonly service: string
  readonly document: string
  readonly against: number
}

export const formatOf = (document: string): 'yaml' | 'json' => (document.trimStart().startsWith('{') ? 'json' : 'yaml')

/** What publishing the document would change against a version, in the control plane's words. */
const useDiff = ({ environment, service, document, against }: DiffWanted) =>
  useQuery({
    queryKey: ['diff', environment, service, against, document],
    queryFn: async ({ signal }) =>
      (
        await call<Diff>(url(['environments', environment, 'services', service, 'policy', 'diff']), {
          method: 'POST',
          body: { document, format: formatOf(document), against },
          signal,
        })
      ).data,
    staleTime: 0,
    gcTime: 0,
  })

export const ChangesOf = (wanted: DiffWanted) => {
  const diff = useDiff(wanted)
  return (
    <Ready query={diff} loading={<Loading rows={3} height={22} />}>
      {({ changes, unsupportedBy }) => (
        <>
          <Changes changes={changes} />
          {unsupportedBy > 0 && (
            <p className={ui.warn}>
              {plural(unsupportedBy, 'live agent')} cannot do all of this: they will apply the rest and say partly.
            </p>
          )}
        </>
      )}
    </Ready>
  )
}

const look = ({ kind, tightens }: Change) => {
  if (tightens === true) return { tone: 'warn', icon: <IconTrendingDown size={15} />, word: 'tightens' } as const
  if (tightens === false) return { tone: 'good', icon: <IconTrendingUp size={15} />, word: 'loosens' } as const
  if (kind === 'added') return { tone: 'dim', icon: <IconPlus size={15} />, word: 'adds' } as const
  if (kind === 'removed') return { tone: 'dim', icon: <IconMinus size={15} />, word: 'removes' } as const
  return { tone: 'dim', icon: <IconArrowsDiff size={15} />, word: 'changes' } as const
}

const Changes = ({ changes }: { changes: readonly Change[] }) => {
  if (changes.length === 0)
    return <p className={ui.hint}>Nothing that agents would notice: the effective policy stays the same.</p>
  return (
    <ul className={classes.changes}>
      {changes.map((change) => {
        const { tone, icon, word } = look(change)
        return (
          <li key={`${change.path} ${change.sentence}`} className={classes.change}>
            <State tone={tone} icon={icon}>
              {word}
            </State>
            <span>{change.sentence}</span>
          </li>
        )
      })}
    </ul>
  )
}
