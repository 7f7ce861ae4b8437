import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiProblem } from '../api/problem.ts'
import { environmentsQuery, meQuery } from '../api/queries.ts'
import { Overview } from '../pages/overview/overview.tsx'
import { firstEnvironment } from './environment.ts'
import { NotFound, PageFailure } from './fallbacks.tsx'
import {
  agentsSearch,
  alertsSearch,
  figuresSearch,
  overviewSearch,
  policySearch,
  quotasSearch,
  serviceSearch,
} from './search.ts'
import { Shell } from './shell.tsx'

const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in.tsx'), 'SignIn'),
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search.to === 'string' && /^\/(?![/\\])/.test(search.to) ? { to: search.to } : {},
})
const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/sign-in/setup.tsx'), 'Setup'),
})

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery)
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401)
        throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { to: location.href } })
      throw error
    }
  },
})

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/no-environment.tsx'), 'NoEnvironment'),
  beforeLoad: async ({ context }) => {
    const { items } = await context.client.ensureQueryData(environmentsQuery)
    const chosen = firstEnvironment(items)
    if (chosen !== undefined) throw redirect({ to: '/e/$environment', params: { environment: chosen.name } })
  },
})

const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/e/$environment',
  component: Overview,
  validateSearch: overviewSearch,
})
const agentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/e/$environment/agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('../pages/agents/agents.tsx'), 'EnvironmentAgents'),
})
const alertsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/e/$environment/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('../pages/alerts/alerts.tsx'), 'Alerts'),
})

const serviceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/e/$environment/s/$service',
  component: lazyRouteComponent(() => import('../pages/service/layout.tsx'), 'ServiceLayout'),
})
const figuresRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/service/figures.tsx'), 'ServiceFigures'),
  validateSearch: serviceSearch,
  beforeLoad: ({ params, search: { gate, ...search } }) => {
    if (gate !== undefined)
      throw redirect({ to: '/e/$environment/s/$service/gates/$gate', params: { ...params, gate }, search })
  },
})
const gateRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/gates/$gate',
  component: lazyRouteComponent(() => import('../pages/service/gate.tsx'), 'GatePage'),
  validateSearch: figuresSearch,
})
const dependencyRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/dependencies/$dependency',
  component: lazyRouteComponent(() => import('../pages/service/dependency.tsx'), 'DependencyPage'),
  validateSearch: figuresSearch,
})
const policyRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/policy',
  validateSearch: policySearch,
  component: lazyRouteComponent(() => import('../pages/policy/policy.tsx'), 'PolicyPage'),
})
const historyRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/history',
  component: lazyRouteComponent(() => import('../pages/history/history.tsx'), 'History'),
})
const quotasRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/quotas',
  validateSearch: quotasSearch,
  component: lazyRouteComponent(() => import('../pages/quotas/quotas.tsx'), 'Quotas'),
})
const serviceAgentsRoute = createRoute({
  getParentRoute: () => serviceRoute,
  path: '/agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('../pages/agents/agents.tsx'), 'ServiceAgents'),
})

const accessRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/access/$tab',
  component: lazyRouteComponent(() => import('../pages/access/access.tsx'), 'Access'),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  setupRoute,
  appRoute.addChildren([
    homeRoute,
    overviewRoute,
    agentsRoute,
    alertsRoute,
    serviceRoute.addChildren([
      figuresRoute,
      gateRoute,
      dependencyRoute,
      policyRoute,
      historyRoute,
      quotasRoute,
      serviceAgentsRoute,
    ]),
    accessRoute,
  ]),
])

/** Fetches the pages that are loaded on demand, so that they are at hand when the control plane is not. */
export const fetchPages = (): Promise<unknown> =>
  Promise.allSettled([
    import('../pages/service/layout.tsx'),
    import('../pages/service/figures.tsx'),
    import('../pages/service/gate.tsx'),
    import('../pages/service/dependency.tsx'),
    import('../pages/agents/agents.tsx'),
    import('../pages/alerts/alerts.tsx'),
    import('../pages/history/history.tsx'),
    import('../pages/policy/policy.tsx'),
    import('../pages/quotas/quotas.tsx'),
  ])

export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    context: { client },
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: NotFound,
    defaultPendingMs: 300,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
