import 'reflect-metadata'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import type { Role } from '@weir/api'
import type { Database } from '../adapters/prisma/database.ts'
import { LeasePace } from '../app/sockets.module.ts'
import { AppModule } from '../app.module.ts'
import { dressApplication, httpAdapter, listen, openDatabase } from '../boot.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Asking, Identity, type Principal } from '../features/access/identity.ts'
import { done, type Result, refused } from '../features/result.ts'
import { freshDatabase } from './fresh-database.ts'

/** Knows `Bearer test-viewer`, `test-editor`, `test-admin`: for tests of what lies behind the sign-in. */
export class TestIdentity extends Identity {
  override identify({ headers }: Asking): Promise<Result<Principal>> {
    const role = /^Bearer test-(viewer|editor|admin)(?:-(\w+))?$/.exec(headers.authorization ?? '')
    if (role === null) return Promise.resolve(refused('unauthenticated', 'Nobody that the tests know.'))
    const name = role[2] ?? `test ${role[1]}`
    return Promise.resolve(done({ kind: 'token', id: name, name, email: null, role: role[1] as Role }))
  }

  override identifySocket(asking: Asking): Promise<Result<Principal>> {
    return this.identify(asking)
  }

  override recheck(principal: Principal): Promise<Principal> {
    return Promise.resolve(principal)
  }
}

export interface TestApp {
  readonly app: NestFastifyApplication
  readonly url: string
  readonly config: Config
  readonly database: Database
  readonly databaseUrl: string
  /** A request to the API as a role, JSON both ways. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

export interface CallOptions {
  /** `null`: nobody. Default: admin. */
  readonly as?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** The real application on a free port over a fresh database. `realIdentity`: no test identity in its place. */
export const startTestApp = async (
  options: {
    readonly environment?: Record<string, string>
    readonly realIdentity?: boolean
    readonly databaseUrl?: string
    /** How often agents ask for leases, milliseconds. */
    readonly leaseRefreshMs?: number
  } = {},
): Promise<TestApp> => {
  const fresh =
    options.databaseUrl === undefined ? await freshDatabase() : { url: options.databaseUrl, drop: async () => {} }
  const config = readConfig(
    { PORT: '0', LOG_LEVEL: 'error', WEIR_SELF: 'off', DATABASE_URL: fresh.url, ...options.environment },
    process.cwd(),
  )
  const opened = await openDatabase(config, (why) => {
    throw new Error(why)
  })
  const module = Test.createTestingModule({ imports: [AppModule.of(config, opened.database)] })
  const { leaseRefreshMs } = options
  if (leaseRefreshMs !== undefined) module.overrideProvider(LeasePace).useValue({ refreshMs: leaseRefreshMs })
  if (options.realIdentity !== true) module.overrideProvider(Identity).useClass(TestIdentity)
  const app = (await module.compile()).createNestApplication<NestFastifyApplication>(await httpAdapter(config))
  await dressApplication(app, config)
  const url = (await listen(app, config)).replace('[::1]', 'localhost')
  const call = async (method: string, path: string, { as = 'admin', body, headers }: CallOptions = {}) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer test-${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = (response.headers.get('content-type') ?? '').includes('json')
    return { status: response.status, headers: response.headers, body: json && text !== '' ? JSON.parse(text) : text }
  }
  const close = async () => {
    await app.close()
    await opened.close()
    await fresh.drop()
  }
  return { app, url, config, database: opened.database, databaseUrl: fresh.url, call, close }
}
