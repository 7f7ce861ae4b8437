import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { Undelivered } from '../../features/notifications/courier.ts'
import type { AddressBook } from './addresses.ts'

/** From the look-up to the last byte. */
const TIMEOUT_MS = 10_000
/** Of an answer, for its reason; the rest is not read. */
const ANSWER_BYTES = 4_096
const REASON_CHARACTERS = 200
const MOST_RETRY_AFTER_S = 300

export interface Sending {
  readonly url: URL
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export type Resolve = (host: string) => Promise<readonly string[]>

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/**
 * Posts to an address that an operator typed. The name is resolved here, once; every address that it gives is vetted, and the connection goes to a
 * vetted one, so what the name says a moment later does not matter. Plain http only where the environment allows the address. No redirect is followed.
 */
export const postTo = async (book: AddressBook, sending: Sending, resolve: Resolve = resolveHost): Promise<void> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const address = await Promise.race([vetted(book, sending.url, resolve), late(signal)])
    const { status, retryAfter, reason } = await exchange(sending, address, signal)
    if (status >= 200 && status < 300) return
    const moved = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
    throw new Undelivered(
      `It answered ${status}${reason === '' ? '.' : `: ${reason}`}${moved}`,
      retryAfterMs(retryAfter),
    )
  } catch (error) {
    if (error instanceof Undelivered) throw error
    if (signal.aborted) throw new Undelivered('It did not answer within 10 s.')
    throw new Undelivered(`It cannot be reached: ${error instanceof Error ? codeOf(error) : String(error)}.`)
  }
}

const late = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('late')), { once: true }))

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : error.message

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const vetted = async (book: AddressBook, url: URL, resolve: Resolve): Promise<string> => {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const [first] = addresses
  if (first === undefined) throw new Undelivered(`${host} has no address.`)
  for (const address of addresses) {
    const verdict = book.vet(address)
    if (verdict === 'no')
      throw new Undelivered(
        `${host === address ? host : `${host}, at ${address},`} is not public: allow it in WEIR_PRIVATE_TARGETS where the control plane runs.`,
      )
    if (verdict === 'public' && url.protocol !== 'https:')
      throw new Undelivered(`Plain http is for addresses in WEIR_PRIVATE_TARGETS only: use https for ${host}.`)
  }
  return first
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly reason: string
}

const exchange = ({ url, body, headers }: Sending, address: string, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(
      {
        method: 'POST',
        host: address,
        servername: isIP(hostOf(url)) === 0 ? url.hostname : '',
        port: url.port === '' ? undefined : Number(url.port),
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Weir',
          connection: 'close',
          ...headers,
        },
        agent: false,
        signal,
      },
      (response) => {
        let text = ''
        const finish = () => {
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            reason: oneLine(text),
          })
          response.destroy()
        }
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length >= ANSWER_BYTES) finish()
        })
        response.on('end', finish)
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })

/** What a stranger answers is shown to people: printable, and short. */
const oneLine = (text: string): string =>
  text
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ')
    .trim()
    .slice(0, REASON_CHARACTERS)

const retryAfterMs = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Math.min(Number(header), MOST_RETRY_AFTER_S) * 1_000 : null
