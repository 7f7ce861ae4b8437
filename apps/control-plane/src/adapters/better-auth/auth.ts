import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { PrismaSignInLinkStore } from '../prisma/access-sign-in-links.ts'
import type { Database } from '../prisma/database.ts'
import { ADDRESS_HEADER, LINK_PATH, signInByLink } from './link.ts'
import { boundedPasswords } from './passwords.ts'

/** better-auth asks for a base URL and checks origins against it; ours are checked before, so it sees this one only. */
export const INSIDE = 'http://inside.weir'
export const BASE_PATH = '/api/auth'

/** A week, counted from the sign-in and never prolonged, so that a stolen cookie ends too. */
const SESSION_SECONDS = 7 * 86_400

/**
 * Guesses a caller's address has: 10, and again 10 after a minute without one. Counted by address and never by
 * account, so that nobody can lock an operator out. IPv6 callers count by their /64.
 */
export const SIGN_INS = { window: 60, max: 10 } as const

/** better-auth, reduced to what operators need. Everything that it could read from the process's environment is given. */
export const makeAuth = (database: Database, note: (level: string, message: string) => void) =>
  betterAuth({
    appName: 'Weir',
    baseURL: INSIDE,
    basePath: BASE_PATH,
    trustedOrigins: [INSIDE],
    secret: database.secret,
    database: prismaAdapter(database.prisma, { provider: 'postgresql', transaction: true }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 12,
      maxPasswordLength: 128,
      password: boundedPasswords(),
    },
    user: { additionalFields: { role: { type: 'string', input: false, required: true, defaultValue: 'viewer' } } },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true, cookieCache: { enabled: false } },
    rateLimit: {
      enabled: true,
      storage: 'database',
      window: 60,
      max: 600,
      customRules: { '/sign-in/email': SIGN_INS, [LINK_PATH]: SIGN_INS, '/change-password': SIGN_INS },
    },
    plugins: [signInByLink(new PrismaSignInLinkStore(database))],
    advanced: {
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // Cookies know no ports: two installations on one host must not sign each other's operators out.
      cookiePrefix: `weir-${database.databaseId.slice(0, 8)}`,
      useSecureCookies: false,
      defaultCookieAttributes: { sameSite: 'strict', httpOnly: true, path: '/' },
    },
    telemetry: { enabled: false },
    // Otherwise a database that is away is an unnamed 500.
    onAPIError: { throw: true },
    logger: { level: 'warn', log: (level, message) => note(level, message) },
  })

export type Auth = ReturnType<typeof makeAuth>
