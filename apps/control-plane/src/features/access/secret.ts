import { createHash, randomBytes } from 'node:crypto'

/** 256 bits: beyond guessing, so one round of SHA-256 is enough at rest (a password is another matter). */
const SECRET_BYTES = 32
/** Of the random part, shown in lists so that a person recognises a secret. 48 bits of 256 stay no help in guessing. */
const SHOWN_CHARACTERS = 8

export const API_TOKEN = 'weir_t_'
export const SETUP_TOKEN = 'weir_s_'
export const SIGN_IN_TOKEN = 'weir_l_'

export interface Secret {
  /** Shown once, kept nowhere. */
  readonly secret: string
  /** Beginning of `secret`, for lists. */
  readonly prefix: string
  /** SHA-256 of `secret`, hex: what is kept, and found again by its unique index. */
  readonly hash: string
}

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** `kind` + 43 characters of base64url. `random` returns that many random bytes. */
export const makeSecret = (kind: string, random: (bytes: number) => Buffer = randomBytes): Secret => {
  const secret = kind + random(SECRET_BYTES).toString('base64url')
  return { secret, prefix: secret.slice(0, kind.length + SHOWN_CHARACTERS), hash: hashSecret(secret) }
}

const FORM = /^[A-Za-z0-9_-]{43}$/

/** Whether a text can be a secret of that kind at all: what cannot is refused without asking the database. */
export const looksLike = (kind: string, text: string): boolean =>
  text.startsWith(kind) && FORM.test(text.slice(kind.length))

/** The credential of `Authorization: Bearer …`, else `null`. */
export const bearerOf = (header: string | undefined): string | null => {
  const found = /^Bearer ([^\s]{1,256})$/i.exec(header ?? '')
  return found?.[1] ?? null
}
