import { createHash, randomBytes } from 'node:crypto'

const PREFIX = 'weir_'
/** Characters of a secret that are kept and shown, so that people can tell keys apart. */
const SHOWN = PREFIX.length + 6
/** Longest text that is looked up at all. */
const LONGEST = 256

/** `weir_` and 256 random bits, base64url. */
export const newSecret = (): { secret: string; hash: string; prefix: string } => {
  const secret = PREFIX + randomBytes(32).toString('base64url')
  return { secret, hash: secretHash(secret), prefix: secret.slice(0, SHOWN) }
}

/** SHA-256, hex: enough for a secret that nobody can guess. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const looksLikeSecret = (text: string): boolean => text.startsWith(PREFIX) && text.length <= LONGEST
