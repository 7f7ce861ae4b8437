import { call } from './client.ts'

export const signIn = async (email: string, password: string): Promise<void> => {
  await call('/api/auth/sign-in/email', { method: 'POST', body: { email, password } })
}

export const signOut = async (): Promise<void> => {
  await call('/api/auth/sign-out', { method: 'POST', body: {} })
}
