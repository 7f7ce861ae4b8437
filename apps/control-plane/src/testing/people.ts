import { randomBytes } from 'node:crypto'
import type { Role } from '@weir/api'
import { hashPassword } from 'better-auth/crypto'
import { PrismaOperatorStore } from '../adapters/prisma/access-operators.ts'
import { PrismaTokenStore } from '../adapters/prisma/access-tokens.ts'
import { Operators } from '../features/access/operators.ts'
import { Tokens } from '../features/access/tokens.ts'
import type { TestApp } from './harness.ts'

/** Good enough for every test. */
export const PASSWORD = 'correct horse battery'

/** A real operator in the test's database. */
export const makeOperator = async (app: TestApp, role: Role, email = `${role}-${hex()}@weir.test`) => {
  const operators = new Operators(new PrismaOperatorStore(app.database), hashPassword)
  const made = await operators.create({ name: `The ${role}`, email, role, password: PASSWORD }, 'test')
  if (!made.ok) throw new Error(made.refusal.detail)
  return made.value
}

/** A real API token in the test's database. */
export const makeToken = async (app: TestApp, role: Role, expiresInDays: number | null = 1) => {
  const tokens = new Tokens(new PrismaTokenStore(app.database), Date.now)
  const made = await tokens.create({ name: `${role} ${hex()}`, role, expiresInDays }, 'test')
  if (!made.ok) throw new Error(made.refusal.detail)
  return made.value
}

export interface Browser {
  /** Value of the Cookie header: the session. */
  cookie: string
  fetch(method: string, path: string, options?: BrowserOptions): Promise<Response>
}

export interface BrowserOptions {
  readonly body?: unknown
  /** In place of what the dashboard's page would send; `null` leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** Sends what the dashboard's own page would: cookie, Origin, the header against forged writes; keeps the cookies it gets. */
export const browserOf = (app: TestApp): Browser => {
  const browser: Browser = {
    cookie: '',
    fetch: async (method, path, { body, headers } = {}) => {
      const all: Record<string, string | null> = {
        origin: new URL(app.url).origin,
        'x-weir-csrf': '1',
        cookie: browser.cookie === '' ? null : browser.cookie,
        'content-type': body === undefined ? null : 'application/json',
        ...headers,
      }
      const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
      const response = await fetch(new URL(path, app.url), {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      for (const cookie of response.headers.getSetCookie()) browser.cookie = cookie.split(';')[0] ?? ''
      return response
    },
  }
  return browser
}

/** A browser in which that operator has signed in. */
export const signedIn = async (app: TestApp, email: string, password = PASSWORD): Promise<Browser> => {
  const browser = browserOf(app)
  const response = await browser.fetch('POST', '/api/auth/sign-in/email', { body: { email, password } })
  if (response.status !== 204) throw new Error(`sign-in: ${response.status} ${await response.text()}`)
  return browser
}

const hex = () => randomBytes(4).toString('hex')
