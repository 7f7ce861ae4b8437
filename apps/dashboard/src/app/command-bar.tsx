import { Combobox, Modal, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { fetchOutcomes } from '../api/figures.ts'
import { verdictsQuery } from '../api/queries.ts'
import { toggleZone } from '../format/zone.ts'
import { isoOf } from '../outcomes/range.ts'
import classes from './command-bar.module.css'
import { type Command, commandsFor, type Known } from './commands.ts'
import { useHub } from './live.tsx'
import { useRole } from './role.ts'

interface CommandBarProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** Goes anywhere by a few letters: services, gates, dependencies, tenants, pages, actions. */
const CommandBar = ({ opened, onClose, onHelp }: CommandBarProps) => (
  <Modal.Root opened={opened} onClose={onClose} size="lg" yOffset="12vh">
    <Modal.Overlay backgroundOpacity={0.4} />
    <Modal.Content aria-label="Go to">
      <Modal.Body p={0}>
        <Bar onClose={onClose} onHelp={onHelp} />
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
)

export default CommandBar

const TYPING_MS = 150

const Bar = ({ onClose, onHelp }: Omit<CommandBarProps, 'opened'>) => {
  const [text, setText] = useState('')
  const commands = useCommands(text)
  const combobox = useCombobox({ opened: true })
  const run = useRun(onHelp)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first one is chosen whenever there are others
  useEffect(() => void combobox.selectFirstOption(), [commands])
  const groups = Map.groupBy(commands, ({ group }) => group)
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(id) => {
        const chosen = commands.find((command) => command.id === id)
        onClose()
        if (chosen !== undefined) run(chosen)
      }}
    >
      <Combobox.EventsTarget>
        <TextInput
          variant="unstyled"
          size="md"
          px="sm"
          aria-label="Go to"
          placeholder="Service, gate, dependency, tenant, page or action"
          leftSection={<IconSearch size={17} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes.options} aria-label="Found">
        {[...groups].map(([group, members]) => (
          <Combobox.Group key={group} label={group}>
            {members.map(({ id, label, hint }) => (
              <Combobox.Option key={id} value={id} className={classes.option}>
                <span>{label}</span>
                {hint !== undefined && <span className={classes.hint}>{hint}</span>}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {commands.length === 0 && <Combobox.Empty>Nothing is called that</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  )
}

const useCommands = (text: string): Command[] => {
  const { environment, service } = useParams({ strict: false })
  const { canAdmin } = useRole()
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS)
  const all = useQuery({ ...verdictsQuery(environment ?? '', ''), enabled: environment !== undefined })
  const found = useQuery({
    ...verdictsQuery(environment ?? '', asked.split(/\s+/)[0] ?? ''),
    enabled: environment !== undefined && asked !== '',
    placeholderData: keepPreviousData,
  })
  const gates = useLabels(environment, { groupBy: 'gate' })
  const dependencies = useLabels(environment, { kind: 'dependency', groupBy: 'gate' })
  const tenants = useLabels(service === undefined ? undefined : environment, {
    groupBy: 'tenant',
    service: service ?? '',
  })
  return useMemo(() => {
    const items = [...(all.data?.items ?? []), ...(found.data?.items ?? [])]
    const services = new Map(items.map((one) => [one.service.name, { name: one.service.name, verdict: one.verdict }]))
    const known: Known = {
      environment,
      service,
      services: [...services.values()],
      gates,
      dependencies,
      tenants,
      admin: canAdmin,
    }
    return commandsFor(known, text)
  }, [all.data, found.data, environment, service, gates, dependencies, tenants, canAdmin, text])
}

const NONE: readonly string[] = []
const LOOK_BACK = 900

/** What was heard of lately: names of gates and dependencies with their service, tenants. */
const useLabels = (
  environment: string | undefined,
  asked: { readonly kind?: 'dependency'; readonly groupBy: 'gate' | 'tenant'; readonly service?: string },
): readonly string[] => {
  const hub = useHub()
  const { data } = useQuery({
    queryKey: ['labels', environment, asked],
    queryFn: async ({ signal }) => {
      const to = hub.serverSecond
      const query = { ...asked, step: 60, from: isoOf(to - LOOK_BACK), to: isoOf(to) } as const
      return (await fetchOutcomes(environment ?? '', query, signal)).series.map(({ label }) => label)
    },
    enabled: environment !== undefined,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  return data ?? NONE
}

const useRun = (onHelp: () => void): ((command: Command) => void) => {
  const router = useRouter()
  const { setColorScheme } = useMantineColorScheme()
  return ({ id, to }) => {
    if (to !== null) router.history.push(to)
    else if (id === 'zone') toggleZone()
    else if (id === 'help') onHelp()
    else if (id === 'light' || id === 'dark') setColorScheme(id)
  }
}
