import { APIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'

/**
 * Passwords in work at a time. One costs some 50 ms of a core and 32 MiB on purpose; callers with many addresses could
 * otherwise queue them without end. About a second of work; above it the answer is 503 at once. It stands behind the
 * limit by address, so that a single address cannot fill it.
 */
export const PASSWORDS_AT_ONCE = 16

/** better-auth's own scrypt, bounded. Throws what better-auth answers as 503. */
export const boundedPasswords = (work = { hash: hashPassword, verify: verifyPassword }) => {
  let running = 0
  const bounded = async <T>(one: () => Promise<T>): Promise<T> => {
    if (running >= PASSWORDS_AT_ONCE) throw new APIError('SERVICE_UNAVAILABLE')
    running++
    try {
      return await one()
    } finally {
      running--
    }
  }
  return {
    hash: (password: string) => bounded(() => work.hash(password)),
    verify: (check: { hash: string; password: string }) => bounded(() => work.verify(check)),
  }
}
