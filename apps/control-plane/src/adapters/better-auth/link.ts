import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { SignInLinkStore } from '../../features/access/sign-in-link.ts'

/** Carries the caller's real address: set by us on a request of our own making, so no caller can. */
export const ADDRESS_HEADER = 'x-weir-caller'

export const LINK_PATH = '/sign-in/link'

/**
 * A way in beside the password, with better-auth's own session and cookie, behind its own count of attempts. Answers
 * what better-auth passes on as 401 (not one of ours) and 410 (used, or too old).
 */
export const signInByLink = (links: SignInLinkStore) =>
  ({
    id: 'weir-sign-in-link',
    endpoints: {
      signInByLink: createAuthEndpoint(
        LINK_PATH,
        { method: 'POST', body: z.strictObject({ tokenHash: z.string() }) },
        async (context) => {
          const ip = context.headers?.get(ADDRESS_HEADER) ?? ''
          const used = await links.use(context.body.tokenHash, ip, new Date())
          if (!used.ok) throw new APIError(used.refusal.code === 'gone' ? 'GONE' : 'UNAUTHORIZED')
          const { internalAdapter } = context.context
          const user = await internalAdapter.findUserById(used.value)
          if (user === null) throw new APIError('UNAUTHORIZED')
          const session = await internalAdapter.createSession(user.id)
          await setSessionCookie(context, { session, user })
          return context.json({})
        },
      ),
    },
  }) satisfies BetterAuthPlugin
