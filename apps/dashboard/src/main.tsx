import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import 'uplot/dist/uPlot.min.css'
import './app/app.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './app/query-client.ts'
import { fetchPages, makeRouter } from './app/router.tsx'
import { theme } from './app/theme.ts'

const client = makeQueryClient(() => {
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in' || pathname === '/setup') return
  client.removeQueries({ queryKey: ['me'] })
  void router.navigate({ to: '/sign-in', search: { to: href } })
})
const router = makeRouter(client)

const AFTER_MS = 4_000

/** Well after the first page and its charts, however slow the machine is. */
const settled = new Promise<void>((resolve) => {
  const leave = router.subscribe('onRendered', () => {
    leave()
    setTimeout(resolve, AFTER_MS)
  })
})
void settled.then(fetchPages)

/** What is to be told before that waits for it. */
const Notifications = lazy(async () => {
  await settled
  return { default: (await import('@mantine/notifications')).Notifications }
})

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
