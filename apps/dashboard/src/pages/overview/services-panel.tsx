import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Verdicts, VerdictWord } from '@weir/api'
import { lazy, Suspense } from 'react'
import { VERDICTS_PAGE, verdictsQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { plural } from '../../format/numbers.ts'
import { VERDICT_TITLES } from '../../outcomes/verdict-words.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { usePaged } from '../../ui/use-paged.ts'
import classes from './overview.module.css'
import { ServicesTable } from './services-table.tsx'

const AddService = lazy(() => import('./add-service.tsx'))

/** The worst first. Of the API only types come here: its schemas would be half of all script. */
const VERDICTS: readonly VerdictWord[] = ['collapse', 'silent', 'shedding', 'healthy']

/** So many of the worst stand above the charts; the others are asked for. */
const FEW = 8
const TYPING_MS = 250

export const ServicesPanel = ({ environment }: { environment: string }) => {
  const { canEdit } = useRole()
  const [opened, modal] = useDisclosure(false)
  const { services: shown, search = '' } = useSearch({ from: '/app/e/$environment' })
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const { query, rows, onSight } = usePaged({
    scope: environment,
    size: VERDICTS_PAGE,
    queryOf: (page) => verdictsQuery(environment, asked, page),
    lengthOf: ({ found }) => found,
  })
  const counts = query.data?.counts
  const total = counts === undefined ? 0 : VERDICTS.reduce((sum, word) => sum + (counts[word] ?? 0), 0)
  const few = shown !== 'all' && asked === '' && total > FEW
  return (
    <Panel
      title="Services"
      hint={<Counts counts={counts} />}
      actions={
        <div className={classes.actions}>
          {total > FEW && <Search />}
          {canEdit && (
            <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={modal.open}>
              Add service
            </Button>
          )}
        </div>
      }
    >
      <Ready query={query}>
        {() =>
          total === 0 ? (
            <Empty title="There is no service here yet">
              <p>
                Add one, make an agent key for it under Access, and start the service with that key. Until a policy is
                published its agents only observe.
              </p>
            </Empty>
          ) : rows.length === 0 ? (
            <Empty title={`None of ${plural(total, 'service')} is called that`} />
          ) : (
            <>
              <ServicesTable verdicts={few ? rows.slice(0, FEW) : rows} onSight={onSight} />
              {few && <ShowAll total={total} />}
            </>
          )
        }
      </Ready>
      <Suspense>{opened && <AddService environment={environment} onClose={modal.close} />}</Suspense>
    </Panel>
  )
}

/** How many stand how, the worst first; what there is none of is left out. */
const Counts = ({ counts }: { counts: Verdicts['counts'] | undefined }) => {
  if (counts === undefined) return <>The worst first</>
  const said = VERDICTS.filter((word) => (counts[word] ?? 0) > 0)
  return (
    <>
      The worst first
      {said.length > 0 && ': '}
      {said.map((word) => `${counts[word]} ${VERDICT_TITLES[word].toLowerCase()}`).join(', ')}
    </>
  )
}

const Search = () => {
  const { search = '' } = useSearch({ from: '/app/e/$environment' })
  const navigate = useNavigate({ from: '/e/$environment' })
  return (
    <TextInput
      size="xs"
      w={200}
      aria-label="Search services"
      placeholder="Part of a name"
      leftSection={<IconSearch size={14} />}
      value={search}
      onChange={(event) => {
        const text = event.currentTarget.value
        void navigate({
          search: ({ search: _, ...rest }) => (text === '' ? rest : { ...rest, search: text }),
          replace: true,
        })
      }}
    />
  )
}

const ShowAll = ({ total }: { total: number }) => {
  const navigate = useNavigate({ from: '/e/$environment' })
  return (
    <div className={classes.all}>
      <span className={ui.hint}>The {FEW} worst are shown.</span>
      <Button
        size="xs"
        variant="default"
        onClick={() => void navigate({ search: (before) => ({ ...before, services: 'all' }), resetScroll: false })}
      >
        Show all {total} services
      </Button>
    </div>
  )
}
