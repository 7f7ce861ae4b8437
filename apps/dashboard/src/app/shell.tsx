import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { rememberEnvironment } from './environment.ts'
import { LiveProvider, useWatch } from './live.tsx'
import { LiveState, StaleBanner } from './live-state.tsx'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { UserMenu } from './user-menu.tsx'
import { useZone, ZoneToggle } from './zone-toggle.tsx'

export const Shell = () => (
  <LiveProvider>
    <Frame />
  </LiveProvider>
)

const Frame = () => {
  const [opened, menu] = useDisclosure(false)
  const { environment, service } = useParams({ strict: false })
  const { pathname } = useLocation()
  useWatch(environment, service)
  useEffect(() => {
    if (environment !== undefined) rememberEnvironment(environment)
  }, [environment])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page was chosen
  useEffect(() => menu.close(), [pathname])

  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap">
          <Burger opened={opened} onClick={menu.toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
          <Link to="/" className={classes.brand} aria-label="Weir, overview">
            <Logo />
            <span>Weir</span>
          </Link>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <Shortcuts />
          <LiveState />
          <ZoneToggle />
          <ThemeToggle />
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar}>
        <Navigation environment={environment} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <StaleBanner />
        <div className={classes.page} key={useZone()}>
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
