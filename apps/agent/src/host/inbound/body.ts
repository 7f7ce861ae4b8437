import type { IncomingMessage } from 'node:http'

/** A body that cannot be had: too long, broken off, or too slow. */
export class NoBody extends Error {
  override readonly name = 'NoBody'
}

/**
 * The whole body, as it came. What still arrives of one that is given up is discarded, so that the connection stays usable.
 * @throws {NoBody} where it is longer than `maxBytes`, its caller leaves, or `signal` is aborted.
 */
export const readBody = (raw: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    if (Number(raw.headers['content-length'] ?? 0) > maxBytes) {
      reject(new NoBody(`The body is longer than ${maxBytes} bytes.`))
      return
    }
    const parts: Uint8Array[] = []
    let length = 0
    const done = (settle: () => void) => {
      raw.off('data', take).off('end', whole).off('close', lost)
      signal.removeEventListener('abort', late)
      raw.resume()
      settle()
    }
    const give = (why: string) => done(() => reject(new NoBody(why)))
    const take = (part: Uint8Array) => {
      length += part.length
      if (length > maxBytes) give(`The body is longer than ${maxBytes} bytes.`)
      else parts.push(part)
    }
    const whole = () => done(() => resolve(Buffer.concat(parts)))
    const lost = () => give('The body broke off.')
    const late = () => give('The body did not come in time.')
    if (signal.aborted || raw.destroyed) {
      reject(new NoBody('The body broke off.'))
      return
    }
    signal.addEventListener('abort', late, { once: true })
    raw.on('data', take).on('end', whole).on('close', lost)
  })
