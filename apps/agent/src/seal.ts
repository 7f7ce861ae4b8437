import { createHmac, timingSafeEqual } from 'node:crypto'
import { HEADERS } from '@weir/wire/model'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Between the clocks of two machines, and for the way. */
const TOLERANCE_S = 300
const SHAPE = /^1;(\d{1,12});([a-z0-9._-]{0,128});([A-Za-z0-9_-]{43})$/
/** What the seal says of its service; another is left unnamed, since no header could carry every text. */
const NAMED = /^[a-z0-9._-]{0,128}$/
const SEALED = [HEADERS.deadline, HEADERS.criticality, HEADERS.tenant, HEADERS.attempt] as const

/**
 * Proves by a key that all processes of an environment share that context headers are one of theirs. The seal holds HMAC-SHA256 over its time, its service and
 * the four context headers, for five minutes either way.
 */
export class Seal {
  readonly #keys: readonly string[]
  readonly #service: () => string
  readonly #nowMs: () => number

  /** The first key seals, every key is accepted: a key is changed by adding the new one last everywhere, then first, then alone. */
  constructor(keys: readonly string[], service: () => string, nowMs: () => number = Date.now) {
    this.#keys = keys
    this.#service = service
    this.#nowMs = nowMs
  }

  readonly put = (headers: Record<string, string>): void => {
    const [key] = this.#keys
    if (key === undefined) return
    const second = String(Math.floor(this.#nowMs() / 1_000))
    const known = this.#service()
    const service = NAMED.test(known) ? known : ''
    headers[HEADERS.seal] = `1;${second};${service};${mac(key, second, service, headers).toString('base64url')}`
  }

  /** The service that sealed them, perhaps unnamed; `null`: they are not sealed, or not by this environment. */
  by(headers: Headers): string | null {
    const text = headers[HEADERS.seal]
    if (this.#keys.length === 0 || typeof text !== 'string') return null
    const [, second = '', service = '', given = ''] = SHAPE.exec(text) ?? []
    if (given === '' || Math.abs(this.#nowMs() / 1_000 - Number(second)) > TOLERANCE_S) return null
    const bytes = Buffer.from(given, 'base64url')
    return this.#keys.some((key) => timingSafeEqual(bytes, mac(key, second, service, headers))) ? service : null
  }
}

const mac = (key: string, second: string, service: string, headers: Headers): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['weir-seal', 1, second, service, ...SEALED.map((name) => headers[name] ?? null)]))
    .digest()
