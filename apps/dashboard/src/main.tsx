import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import 'uplot/dist/uPlot.min.css'
import './app/app.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './app/query-client.ts'
import { makeRouter } from './app/router.tsx'
import { theme } from './app/theme.ts'

const client = makeQueryClient(() => {
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in' || pathname === '/setup') return
  client.removeQueries({ queryKey: ['me'] })
  void router.navigate({ to: '/sign-in', search: { to: href } })
})
const router = makeRouter(client)

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-right" />
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
