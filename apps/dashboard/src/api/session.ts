import { call } from './client.ts'

export const signIn = async (email: string, password: string): Promise<void> => {
  await call('/api/auth/sign-in/email', { method: 'POST', body: { email, password } })
}

/** With what a one-time sign-in link has in its fragment. */
export const signInByLink = async (token: string): Promise<void> => {
  await call('/api/v1/sign-in-link', { method: 'POST', body: { token } })
}

export const signOut = async (): Promise<void> => {
  await call('/api/auth/sign-out', { method: 'POST', body: {} })
}
