import { describe, expect, test } from 'vitest'
import { callerOf, trustOf } from './caller.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) => ({
  headers: { host: 'weir.test:7400', ...headers },
  socket: { remoteAddress, encrypted },
})
const nobody = trustOf([])
const proxies = trustOf(['10.0.0.0/8', '192.168.1.5', 'fd00::/8'])

describe('without trusted proxies', () => {
  test('forwarded headers are the caller’s own word, and not believed', () => {
    const request = from('203.0.113.9', {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'other.test',
    })
    expect(callerOf(request, nobody)).toEqual({ ip: '203.0.113.9', origin: 'http://weir.test:7400' })
  })

  test('a TLS socket makes the origin https', () => {
    expect(callerOf(from('203.0.113.9', {}, true), nobody).origin).toBe('https://weir.test:7400')
  })

  test('an IPv4 address over an IPv6 socket is itself', () => {
    expect(callerOf(from('::ffff:203.0.113.9'), nobody).ip).toBe('203.0.113.9')
  })
})

describe('behind trusted proxies', () => {
  test('the caller is the rightmost address that is no trusted proxy', () => {
    const chain = { 'x-forwarded-for': '127.0.0.1, 198.51.100.7, 10.1.1.1' }
    expect(callerOf(from('10.0.0.1', chain), proxies).ip).toBe('198.51.100.7')
    expect(callerOf(from('192.168.1.5', chain), proxies).ip).toBe('198.51.100.7')
    expect(callerOf(from('fd00::1', { 'x-forwarded-for': '2001:db8::7' }), proxies).ip).toBe('2001:db8::7')
  })

  test('a word that is no address ends the chain at the proxy that passed it on', () => {
    expect(callerOf(from('10.0.0.1', { 'x-forwarded-for': '198.51.100.7, unknown' }), proxies).ip).toBe('10.0.0.1')
  })

  test('another neighbour of the proxy is not believed', () => {
    expect(callerOf(from('192.168.1.6', { 'x-forwarded-for': '127.0.0.1' }), proxies).ip).toBe('192.168.1.6')
  })

  test('scheme and host are the proxy’s', () => {
    const request = from('10.0.0.1', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'weir.example' })
    expect(callerOf(request, proxies).origin).toBe('https://weir.example')
    expect(callerOf(from('10.0.0.1', { 'x-forwarded-proto': 'gopher' }), proxies).origin).toBe('http://weir.test:7400')
  })
})

test('an entry that is no address or range trusts nobody', () => {
  for (const entry of ['', 'proxy.internal', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/x', '0.0.0.0.0/0'])
    expect(trustOf([entry])('10.0.0.1')).toBe(false)
})
