import { existsSync, statSync } from 'node:fs'
import { join, normalize, sep } from 'node:path'
import { Controller, Get, Inject, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CONFIG, type Config } from '../config/config.ts'
import { ProblemError } from './problem.ts'
import { Public } from './requires.ts'

/** Names of built assets carry a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const ASSETS = `assets${sep}`

/** Paths that belong to machines: an unknown one is a problem document, never a page. */
const MACHINES = /^\/(api|v1|healthz|readyz|metrics)(\/|$)/

/** The dashboard's files; every other path that a browser asks for is its start page, which routes by itself. */
@Controller()
@Public()
export class DashboardController {
  readonly #root: string

  constructor(@Inject(CONFIG) config: Config) {
    this.#root = config.dashboardFolder
  }

  @Get('*')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = pathOf(request.url)
    if (path === null || MACHINES.test(path)) throw notFound(request)
    const name = normalize(path).slice(1)
    if (name !== '' && name !== 'index.html' && isFile(join(this.#root, name))) {
      const cacheControl = name.startsWith(ASSETS) ? FOR_EVER : 'public, max-age=3600'
      await reply.header('cache-control', cacheControl).sendFile(name, this.#root, { cacheControl: false })
      return
    }
    if (name.startsWith(ASSETS) || !(request.headers.accept ?? '').includes('text/html')) throw notFound(request)
    await this.#page(reply)
  }

  async #page(reply: FastifyReply): Promise<void> {
    reply.header('cache-control', 'no-cache')
    if (existsSync(join(this.#root, 'index.html')))
      await reply.sendFile('index.html', this.#root, { cacheControl: false })
    else
      await reply
        .status(503)
        .type('text/plain; charset=utf-8')
        .send('The dashboard is not built: run "npm run build". The API works without it.\n')
  }
}

const notFound = ({ method }: FastifyRequest) =>
  new ProblemError({ code: 'not-found', detail: `There is nothing at this path for ${method}.` })

/** The decoded path; `null` for one that cannot be decoded, climbs, or has a NUL. */
const pathOf = (url: string): string | null => {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '')
    return path.includes('\0') || path.split(/[/\\]/).includes('..') ? null : path
  } catch {
    return null
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
