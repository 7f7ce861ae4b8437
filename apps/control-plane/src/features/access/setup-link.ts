import { makeSecret, SETUP_TOKEN, type Secret } from './secret.ts'

/** Long enough to finish reading the page that says how to start; short enough that a forgotten terminal is no key. */
export const SETUP_VALID_MS = 3_600_000

/** The token is in the fragment, which browsers send to nobody: neither proxies nor access logs see it. */
export const setupLink = (baseUrl: string, token: string): string => `${baseUrl.replace(/\/+$/, '')}/setup#${token}`

export const makeSetupToken = (): Secret => makeSecret(SETUP_TOKEN)

/** What the database knows when somebody comes with a set-up token. `token` is the row of its hash. */
export interface SetupState {
  readonly operators: number
  readonly token: { readonly expiresAt: Date; readonly usedAt: Date | null } | null
}

export type SetupRefusal = 'done' | 'unknown' | 'expired'

/** Why the set-up may not happen; `null` = it may. That operators exist is no secret (the status says it), so it is said first. */
export const setupRefusal = ({ operators, token }: SetupState, now: Date): SetupRefusal | null => {
  if (operators > 0) return 'done'
  if (token === null || token.usedAt !== null) return 'unknown'
  return now < token.expiresAt ? null : 'expired'
}

export const SETUP_SENTENCES: Record<SetupRefusal, string> = {
  done: 'The set-up is done: there is an operator. Sign in instead.',
  unknown: 'This set-up link is not one of ours, or was used. Take the last one that the control plane printed.',
  expired:
    'This set-up link is older than an hour. Start the control plane again for a new one, or use "weir operator create".',
}
