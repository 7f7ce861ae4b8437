import { Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { toggleZone } from '../format/zone.ts'
import { lastEnvironment } from './environment.ts'
import classes from './shell.module.css'

const CommandBar = lazy(() => import('./command-bar.tsx'))
const Help = lazy(() => import('./help.tsx'))

/** After `g` the second letter says where; it is waited for so long. */
const SECOND_LETTER_MS = 1_500
const PLACES = { o: '/e/$environment', a: '/e/$environment/agents', l: '/e/$environment/alerts' } as const

/** The command bar, the keys of the application, and the list of them. */
export const Shortcuts = () => {
  const [bar, setBar] = useState(false)
  const [help, setHelp] = useState(false)
  const { environment = lastEnvironment() ?? undefined } = useParams({ strict: false })
  const navigate = useNavigate()
  const began = useRef(0)
  const go = (place: keyof typeof PLACES) => {
    if (environment === undefined || Date.now() - began.current > SECOND_LETTER_MS) return
    began.current = 0
    void navigate({ to: PLACES[place], params: { environment } })
  }
  useHotkeys([
    ['mod+K', () => setBar(true)],
    ['/', () => setBar(true)],
    ['shift+?', () => setHelp(true)],
    ['?', () => setHelp(true)],
    ['u', toggleZone],
    [
      'g',
      () => {
        began.current = Date.now()
      },
      { preventDefault: false },
    ],
    ['o', () => go('o'), { preventDefault: false }],
    ['a', () => go('a'), { preventDefault: false }],
    ['l', () => go('l'), { preventDefault: false }],
  ])
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        className={classes.goTo}
        aria-label="Go to Ctrl K: a service, gate, tenant or page"
        leftSection={<IconSearch size={15} />}
        onClick={() => setBar(true)}
      >
        <span className={classes.goToText}>
          Go to <Kbd size="xs">Ctrl K</Kbd>
        </span>
      </Button>
      <Suspense>
        {bar && <CommandBar opened onClose={() => setBar(false)} onHelp={() => setHelp(true)} />}
        {help && <Help onClose={() => setHelp(false)} />}
      </Suspense>
    </>
  )
}
