import type { NestFastifyApplication } from '@nestjs/platform-fastify'

export interface Route {
  readonly method: string
  readonly path: string
}

const LINE = /^(.*?)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/

/** Every route that Fastify has, from the tree that it prints: each line is its parent's path and its own part. */
export const routesOf = (app: NestFastifyApplication): Route[] => {
  const routes: Route[] = []
  const parents: string[] = []
  for (const line of app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }).split('\n')) {
    const found = LINE.exec(line)
    if (found === null) continue
    const depth = (found[1] ?? '').length / 4
    const path = (parents[depth - 1] ?? '') + (found[2] ?? '')
    parents[depth] = path
    for (const method of (found[3] ?? '').split(', ')) if (method !== '') routes.push({ method, path })
  }
  return routes
}
