import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Asking } from './identity.ts'

/** Who sent a request and under which origin, after the proxies that we trust have been heard. */
export interface Caller {
  readonly ip: string
  /** Scheme, host and port as the caller's browser has them. */
  readonly origin: string
}

/** The part of `http.IncomingMessage` that is read here; the upgrade of a socket has no more. */
export interface RawRequest {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean | undefined }
}

/** Whether an address is one of the proxies listed, by address or CIDR range. An entry that is neither matches nothing. */
export const trustOf = (proxies: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const entry of proxies) {
    const [address = '', bits] = entry.split('/')
    const family = familyOf(address)
    if (family === null) continue
    if (bits === undefined) list.addAddress(address, family)
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv4' ? 32 : 128))
      list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = familyOf(address)
    return family !== null && list.check(address, family)
  }
}

/**
 * X-Forwarded-For is read from the right, because every proxy appends whom it saw: the first address that is not a trusted
 * proxy is the caller, and what stands left of it is only the caller's own word. X-Forwarded-Proto and -Host count when
 * the connection itself comes from a trusted proxy; their last value is that proxy's.
 */
export const callerOf = (request: RawRequest, trusted: (address: string) => boolean): Caller => {
  const peer = plain(request.socket.remoteAddress ?? '')
  const scheme = request.socket.encrypted === true ? 'https' : 'http'
  const host = request.headers.host ?? ''
  if (!trusted(peer)) return { ip: peer, origin: `${scheme}://${host}` }
  const proto = lastOf(request.headers['x-forwarded-proto'])
  return {
    ip: behindProxies(peer, listOf(request.headers['x-forwarded-for']), trusted),
    origin: `${proto === 'https' || proto === 'http' ? proto : scheme}://${lastOf(request.headers['x-forwarded-host']) ?? host}`,
  }
}

/** Reads every request and upgrade in the same way: `asking(request.raw)` of Fastify, `asking(request)` of `verifyClient`. */
export class Callers {
  readonly #trusted: (address: string) => boolean

  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustOf(trustedProxies)
  }

  asking(request: RawRequest): Asking {
    return { ...callerOf(request, this.#trusted), method: request.method ?? 'GET', headers: request.headers }
  }
}

const behindProxies = (peer: string, forwarded: readonly string[], trusted: (address: string) => boolean): string => {
  let caller = peer
  for (const hop of forwarded.toReversed()) {
    if (!trusted(caller)) break
    const address = plain(hop)
    if (isIP(address) === 0) break
    caller = address
  }
  return caller
}

const listOf = (header: string | string[] | undefined): string[] =>
  (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const lastOf = (header: string | string[] | undefined): string | undefined => listOf(header).at(-1)

/** An IPv4 address that came over an IPv6 socket, as itself. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const familyOf = (address: string): 'ipv4' | 'ipv6' | null => {
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? 'ipv4' : 'ipv6'
}
