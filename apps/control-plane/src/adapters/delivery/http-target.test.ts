import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { rangeOf } from '../../config/address-range.ts'
import { Undelivered } from '../../features/notifications/courier.ts'
import { AddressBook } from './addresses.ts'
import { postTo } from './http-target.ts'

const allowing = (...ranges: string[]) => new AddressBook(ranges.map(rangeOf).filter((range) => range !== null))
const NOBODY = allowing()

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:a00:1::1',
    '2001:db8::1',
    '2001::1',
    'not an address',
    '',
    '1.2.3',
  ])('%s is not public', (address) => {
    expect(NOBODY.vet(address)).toBe('no')
  })

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '11.0.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(NOBODY.vet(address)).toBe('public')
    },
  )

  it('are allowed by the environment, and only those', () => {
    const book = allowing('10.1.0.0/16', '127.0.0.1', 'fd00::/8')
    expect(['10.1.200.1', '127.0.0.1', 'fd00::7'].map((address) => book.vet(address))).toEqual([
      'allowed',
      'allowed',
      'allowed',
    ])
    expect(['10.2.0.1', '127.0.0.2', 'fe80::1'].map((address) => book.vet(address))).toEqual(['no', 'no', 'no'])
  })

  it.each(['10.0.0.0/33', 'x/8', '10.0.0.0/8/8', '10.0.0.0/', '::/129', '10.0.0.0/-1', ''])(
    '%s is no range',
    (text) => {
      expect(rangeOf(text)).toBeNull()
    },
  )
})

describe('a post', () => {
  const servers: Server[] = []
  const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> => {
    const server = createServer(answer)
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
  }
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  const loopback = allowing('127.0.0.1')
  const post = (book: AddressBook, url: URL, resolve?: (host: string) => Promise<string[]>) =>
    postTo(book, { url, body: '{"a":1}', headers: { 'x-test': 'y' } }, resolve).then(
      () => 'delivered',
      (error: unknown) => {
        if (!(error instanceof Undelivered)) throw error
        return error.message
      },
    )

  it('brings the body and the headers', async () => {
    let heard = ''
    const url = await serve((request, response) => {
      request.on('data', (chunk) => {
        heard += `${request.method} ${request.url} ${request.headers['x-test']} ${chunk}`
      })
      request.on('end', () => response.end('ok'))
    })
    expect(await post(loopback, url)).toBe('delivered')
    expect(heard).toBe('POST /hook y {"a":1}')
  })

  it('goes to no private address, by number or by name, and nothing is sent', async () => {
    let asked = 0
    const url = await serve((_, response) => {
      asked++
      response.end()
    })
    expect(await post(NOBODY, url)).toContain('127.0.0.1 is not public')
    const named = new URL(`https://harmless.example:${url.port}/`)
    expect(await post(NOBODY, named, async () => ['169.254.169.254'])).toContain('is not public')
    expect(await post(NOBODY, named, async () => ['8.8.8.8', '127.0.0.1'])).toContain('at 127.0.0.1, is not public')
    expect(await post(NOBODY, new URL(`http://[::ffff:127.0.0.1]:${url.port}/`))).toContain('is not public')
    expect(await post(NOBODY, new URL(`http://2130706433:${url.port}/`))).toContain('is not public')
    expect(asked).toBe(0)
  })

  it('connects to the address that was vetted, whatever the name says a moment later', async () => {
    let host = ''
    const url = await serve((request, response) => {
      host = request.headers.host ?? ''
      response.end()
    })
    let looks = 0
    const rebinding = async () => (looks++ === 0 ? ['127.0.0.1'] : ['10.0.0.1'])
    const named = new URL(`http://rebinds.example:${url.port}/hook`)
    expect(await post(loopback, named, rebinding)).toBe('delivered')
    expect([looks, host]).toEqual([1, `rebinds.example:${url.port}`])
  })

  it('uses plain http only towards allowed addresses', async () => {
    expect(await post(NOBODY, new URL('http://example.com/'), async () => ['93.184.216.34'])).toContain('Plain http')
  })

  it('follows no redirect and says what was answered', async () => {
    let asked = 0
    const url = await serve((_, response) => {
      asked++
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect(await post(loopback, url)).toContain('302. Redirects are not followed.')
    expect(asked).toBe(1)
    const refusing = await serve((_, response) =>
      response.writeHead(400).end(`no\u0000such\nchannel ${'x'.repeat(9_999)}`),
    )
    const said = await post(loopback, refusing)
    expect(said).toContain('It answered 400: no such channel xxx')
    expect(said.length).toBeLessThan(300)
  })

  it('hears when to try again', async () => {
    const url = await serve((_, response) => response.writeHead(429, { 'retry-after': '7' }).end())
    await expect(postTo(loopback, { url, body: '', headers: {} })).rejects.toMatchObject({ retryAfterMs: 7_000 })
  })

  it('names what cannot be reached', async () => {
    const url = await serve(() => {})
    servers.splice(0)[0]?.close()
    expect(await post(loopback, url)).toContain('ECONNREFUSED')
    expect(await post(loopback, new URL('https://nowhere.example/'), async () => [])).toContain('has no address')
  })
})
